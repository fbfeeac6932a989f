import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSandbox, SandboxError } from '../../src/index.ts'

// Timers are the test's own; nothing waits for real.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Lets time pass a second at a time, and the turns between that requests take. */
async function pass(seconds: number) {
  for (let second = 0; second < seconds; second++) {
    await vi.advanceTimersByTimeAsync(1_000)
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('world.lease', () => {
  it('is renewed until it is released', async () => {
    await using sandbox = await createSandbox()
    const world = sandbox.home
    const lease = await world.lease({ holder: 'suite', duration: '30s' })
    await pass(100)
    expect(await world.usedBy()).toMatchObject({ holder: 'suite', since: lease.since, until: lease.until })
    await lease.release()
    await lease.release()
    expect(await world.usedBy()).toBe(null)
    expect(lease.lost.aborted).toBe(false)
  })

  it('is released at the end of a block, which restores the world', async () => {
    await using sandbox = await createSandbox()
    const world = sandbox.home
    {
      await using lease = await world.lease({ holder: 'suite', restore: true })
      expect(lease).toMatchObject({ holder: 'suite', restore: true })
      await world.clock.freeze()
    }
    expect(await world.usedBy()).toBe(null)
    expect(await world.clock.show()).toMatchObject({ frozen: false })
  })

  it('throws with the current holder', async () => {
    await using sandbox = await createSandbox()
    const world = sandbox.home
    await world.lease({ holder: 'first' })
    const refused = await world.lease({ holder: 'second' }).catch((error: unknown) => error)
    const { body } = refused as SandboxError<'takeLease'>
    expect(refused).toMatchObject({
      status: 409,
      message: expect.stringContaining('is used by "first" since'),
    })
    expect(body.lease).toMatchObject({ holder: 'first' })
  })

  it('waits longer than one request, even across a reset', async () => {
    await using sandbox = await createSandbox()
    const world = sandbox.home
    const first = await world.lease({ holder: 'first' })
    const waiting = world.lease({ holder: 'second', wait: '10m' })
    await pass(90)
    await world.reset()
    await pass(90)
    await first.release()
    await pass(2)
    expect(await waiting).toMatchObject({ holder: 'second' })
  })

  it('is rejected when the wait times out', async () => {
    await using sandbox = await createSandbox()
    const world = sandbox.home
    await world.lease({ holder: 'first' })
    const waiting = world.lease({ holder: 'second', wait: '45s' }).catch((error: unknown) => error)
    await pass(46)
    expect(await waiting).toMatchObject({ status: 409 })
  })

  it('reports a lost lease and does not end the new holder’s', async () => {
    await using sandbox = await createSandbox()
    const world = sandbox.home
    const lost = await world.lease({ holder: 'first', duration: '30s' })
    await using other = await world.lease({ holder: 'Ada', takeOver: true })
    await pass(11)
    expect(lost.lost.reason).toMatchObject({
      status: 409,
      message: expect.stringContaining('is used by "Ada"'),
    })
    await lost.release()
    expect(await world.usedBy()).toMatchObject({ holder: other.holder })
  })

  it('rejects unknown options', async () => {
    await using sandbox = await createSandbox()
    await expect(sandbox.home.lease({ holder: 'a', takeover: true } as never)).rejects.toThrow(
      'lease: takeover is not known here',
    )
    await expect(sandbox.home.lease({ holder: 'a', wait: 'long' })).rejects.toThrow(
      '"long" is not a duration',
    )
  })
})
