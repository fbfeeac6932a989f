import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { shipped } from '../../../src/generated/scenarios.ts'
import { hasPattern } from '../../../src/scenarios/when/patterns.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { collection } from '../../support/requests.ts'

/** A sandbox as of a process that has just begun. */
async function begin(env: Record<string, string> = {}) {
  vi.resetModules()
  const { startSandbox } = await import('../../support/sandbox.ts')
  const { testOf } = await import('../../../src/scenarios/when/patterns.ts')
  return { ...(await startSandbox(env)), testOf }
}

describe('a pattern', () => {
  it('is the only thing that waits for the engine', async () => {
    expect(hasPattern(shipped)).toBe(false)
    const { world, testOf: compile } = await begin()
    const w = world()
    await w.put('/sandbox/scenarios/mine', { title: 'M', when: { amount: { lt: 5 } }, then: { delay: '1s' } })
    await w.post('/sandbox/requests/count', { amount: { not: 5 } })
    expect(() => compile('a')('cat')).toThrow(/not loaded/)
    expect((await w.post('/sandbox/requests/count', { reference: { matches: 'a' } })).status).toBe(200)
    expect(compile('a')('cat')).toBe(true)
  })

  it('works after a restart', async () => {
    const env = { SANDBOX_DB: join(temporaryFolder(), 'rows.json') }
    const first = await begin(env)
    const file = { title: 'M', when: { reference: { not: { matches: '^a' } } }, then: { delay: '1s' } }
    await first.world().put('/sandbox/scenarios/mine', file)
    await first.sandbox.close()
    const w = (await begin(env)).world()
    const paid = await w.post('/api/v2/payments', collection(w, { external_reference: 'b' }))
    expect(paid.headers.get('sandbox-outcome')).toBe('when; delayed 1s')
  })
})
