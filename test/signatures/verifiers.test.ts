import { beforeAll, describe, expect, it } from 'vitest'
import { KIND_NAMES, verdicts } from './documentation.ts'
import { VERIFIERS } from './verifiers.ts'

let table: Map<string, Map<string, boolean>>
beforeAll(async () => {
  table = await verdicts()
})

/** A profile without a timestamp cannot tell a time, stripe's library looks only back, a token knows nothing of the body. */
const UNABLE: Record<string, readonly string[]> = {
  stripe: ['future'],
  '@octokit/webhooks-methods': ['stale', 'future'],
  'node:crypto, HMAC-SHA512': ['stale', 'future'],
  'token compared': ['stale', 'future', 'tampered', 'truncated-body'],
}

/** Room for one signature only, or one key found by its id: the receiver has to know the new secret. */
const ONE_SIGNATURE = VERIFIERS.filter(({ settings }) => !['standard', 'stripe'].includes(settings.profile))

describe.each(VERIFIERS.map(({ name }) => name))('a receiver with %s', (name) => {
  it.each(KIND_NAMES)('%s', (kind) => {
    const old = kind === 'good, rotation, receiver has the old secret'
    const oldRefused = old && ONE_SIGNATURE.some((verifier) => verifier.name === name)
    const expected = kind.startsWith('good') ? !oldRefused : (UNABLE[name] ?? []).includes(kind)
    expect(table.get(name)?.get(kind)).toBe(expected)
  })
})
