import { beforeAll, describe, expect, it } from 'vitest'
import { KIND_NAMES, verdicts } from './documentation.ts'
import { VERIFIERS } from './verifiers.ts'

let table: Map<string, Map<string, boolean>>
beforeAll(async () => {
  table = await verdicts()
})

/** Room for one signature only, or one key found by its id: the receiver has to know the new secret. */
const ONE_SIGNATURE = VERIFIERS.filter(({ settings }) => !['standard', 'stripe'].includes(settings.profile))

/** Unusual, and nothing is wrong with them. */
const RIGHT = ['reformatted', 'second-signature']

describe.each(VERIFIERS)('a receiver with $name', ({ name, unable = [] }) => {
  it.each(KIND_NAMES)('%s', (kind) => {
    const old = kind === 'valid, rotation, receiver has the old secret'
    const oldRefused = old && ONE_SIGNATURE.some((verifier) => verifier.name === name)
    const right = kind.startsWith('valid') || RIGHT.includes(kind)
    const expected = right ? !oldRefused : unable.includes(kind)
    expect(table.get(name)?.get(kind)).toBe(expected)
  })
})
