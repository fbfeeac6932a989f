import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { type Heard, listen } from './event-stream.ts'
import { Group } from './group.ts'
import { pause, type Sandbox, startReceiver, until } from './processes.ts'

/** How often a process is killed while a client listens, and replaced. */
const KILLS = 3
/** How long a client waits for a process before it tries the next one, milliseconds: fewer events happen than are remembered. */
const PATIENCE = 1_000
/** Number of events that a world remembers. */
export const REMEMBERED = 1_000

/** A client listens to one process after another, also new ones, despite kills and during payments. */
export async function eventsOverProcesses(database: string): Promise<string> {
  const receiver = await startReceiver()
  const group = await Group.start(database, receiver.url)
  const over = { paying: false, hopping: false }
  try {
    const steady: Heard[] = []
    const whole = await listen(group.members[0]!, '0', (event) => steady.push(event))
    const paying = group.payUntil(() => over.paying, 2)
    const hopper = new Hopper(group.members)
    const hopping = hopper.hopUntil(() => over.hopping)
    for (let kills = 0; kills < KILLS; kills += 1) {
      await pause(1_500)
      let victim = -1
      await until('another than the first is listened to', 20, () => (victim = hopper.at) > 0)
      await group.replace(victim)
    }
    await pause(1_000)
    over.paying = true
    await paying
    const there = await group.requireWhole()
    const last = () => steady.at(-1)!.id
    await until('nothing happens any more', 60, async () => {
      const before = last()
      await pause(1_500)
      return before === last() && hopper.heard.at(-1)?.id === before
    })
    over.hopping = true
    await hopping
    whole.end()
    requireOrder(steady)
    requireSame('who hopped', hopper.heard, steady)
    const lately = steady.slice(-REMEMBERED)
    for (const [n, member] of group.members.entries())
      requireSame(`process ${n}`, await remembered(member, last()), lately)
    for (const { signal } of group.members) signal('SIGKILL')
    await group.replace(0)
    requireSame('after all were killed', await remembered(group.members[0]!, last()), lately)
    requirePayments(steady, group.accepted)
    return `${steady.length} events of ${there} payments, ${hopper.hops} hops, ${KILLS} kills: the same as who stayed, in order, each once; the last ${lately.length} on record by each process, and after all of them were killed`
  } finally {
    over.paying = over.hopping = true
    await group.end()
    receiver.close()
  }
}

/** Listens to each process for less than a second, and continues after the last event. */
export class Hopper {
  readonly heard: Heard[] = []
  hops = 0
  /** The current process; -1 in between. */
  at = -1
  readonly #members: readonly Sandbox[]

  constructor(members: readonly Sandbox[]) {
    this.#members = members
  }

  async hopUntil(isOver: () => boolean): Promise<void> {
    for (let n = 0; !isOver(); n += 1) {
      const next = n % this.#members.length
      const last = this.heard.at(-1)?.id ?? '0'
      const hear = (event: Heard) => void this.heard.push(event)
      const line = await listen(this.#members[next]!, last, hear, PATIENCE).catch(() => undefined)
      // It was killed and is being replaced, or it sleeps.
      if (!line) {
        await pause(50)
        continue
      }
      this.hops += 1
      this.at = next
      await Promise.race([line.over, pause(200 + ((n * 137) % 500))])
      this.at = -1
      line.end()
      await line.over
    }
  }
}

/** All events that a process remembers, up to one. */
export async function remembered(member: Sandbox, last: string): Promise<readonly Heard[]> {
  const heard: Heard[] = []
  const line = await listen(member, '0', (event) => heard.push(event))
  await until('the record is read', 20, () => heard.at(-1)?.id === last)
  line.end()
  return heard
}

/** @throws {Error} With the first difference. */
export function requireSame(who: string, heard: readonly Heard[], expected: readonly Heard[]): void {
  const places = expected.map((event, n) => [event, heard[n]] as const)
  const n = places.findIndex(([one, other]) => !isDeepStrictEqual(one, other))
  const around = (events: readonly Heard[]) => events.slice(Math.max(0, n - 3), n + 3).map(({ id }) => id)
  assert.equal(n, -1, `${who} heard ${around(heard).join()} where ${around(expected).join()} was told`)
  assert.equal(heard.length, expected.length, who)
}

/** Checks that the ids are of one life, ascending, and without gaps within a change. */
export function requireOrder(events: readonly Heard[]): void {
  const [life] = events[0]!.id.split('-')
  let [version, index] = [-1, 0]
  for (const { id } of events) {
    const [of, place] = id.split('-') as [string, string]
    const [nextVersion, nextIndex] = place.split('.').map(Number) as [number, number]
    assert.equal(of, life)
    assert.ok(
      nextVersion > version ? nextIndex === 1 : nextVersion === version && nextIndex === index + 1,
      `after ${version}.${index} comes ${id}`,
    )
    ;[version, index] = [nextVersion, nextIndex]
  }
}

/** Checks that each accepted payment has one event for its creation and one for its end. */
function requirePayments(events: readonly Heard[], accepted: ReadonlySet<string>): void {
  const states = new Map<unknown, unknown[]>()
  for (const { type, data } of events)
    if (type === 'transaction')
      states.set(data['external_reference'], [
        ...(states.get(data['external_reference']) ?? []),
        data['status'],
      ])
  for (const reference of accepted) assert.deepEqual(states.get(reference), ['QUEUED', 'SUCCESS'], reference)
}
