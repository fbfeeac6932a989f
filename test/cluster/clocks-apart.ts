import assert from 'node:assert/strict'
import { ask, pause, pay, type Sandbox, startReceiver, startSandbox, statusOf, until } from './processes.ts'

const HOUR = 3_600_000
/** Longer than the lease that a killed process leaves behind, milliseconds. */
const AFTER_LEASE = 6_000

/** Processes whose machines are an hour ahead and an hour behind take over from one with the right time. */
export async function clocksApart(database: string): Promise<string> {
  const receiver = await startReceiver()
  const right = await startSandbox(database, { SANDBOX_SETTLE_AFTER: '600s' })
  const heirs = await Promise.all(
    [HOUR, -HOUR].map((shift) =>
      startSandbox(database, { SANDBOX_SETTLE_AFTER: '600s', NODE_OPTIONS: shiftedBy(shift) }),
    ),
  )
  const [ahead, behind] = heirs as [Sandbox, Sandbox]
  try {
    const times = await Promise.all([right, ahead, behind].map(timeOf))
    const apart = Math.max(...times) - Math.min(...times)
    assert.ok(apart <= 2_000, `world time is ${apart} ms apart`)

    const lease = (sandbox: Sandbox, holder: string) =>
      ask(sandbox, 'PUT', '/sandbox/lease', { holder, duration: '60s' }).then((answer) => answer?.status)
    assert.equal(await lease(right, 'first'), 200)
    assert.deepEqual([await lease(ahead, 'second'), await lease(behind, 'third')], [409, 409])

    const later = (await pay(right, 'order-later', receiver.url))!.body.reference as string
    right.signal('SIGKILL')
    await right.ended
    await pause(AFTER_LEASE)
    assert.deepEqual([await statusOf(ahead, later), await statusOf(behind, later)], ['queued', 'queued'])

    for (const [n, heir] of heirs.entries()) {
      await ask(heir, 'PATCH', '/sandbox/worlds/current', { settle_after: '1s' })
      const soon = (await pay(heir, `order-soon-${n}`, receiver.url))!.body.reference as string
      await until('a payment settles on time', 10, async () => (await statusOf(heir, soon)) === 'success')
    }
    return `an heir an hour ahead and one an hour behind: world time ${apart} ms apart, one lease granted of three, nothing settled early, all on time`
  } finally {
    for (const each of [right, ...heirs]) each.signal('SIGKILL')
    await Promise.all(heirs.map(({ ended }) => ended))
    receiver.close()
  }
}

/** Moves the machine's clock, as the process sees it. */
export const shiftedBy = (ms: number) =>
  `--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+(${ms})`

const timeOf = async (sandbox: Sandbox): Promise<number> =>
  Date.parse((await ask(sandbox, 'GET', '/sandbox/clock'))!.body.now)
