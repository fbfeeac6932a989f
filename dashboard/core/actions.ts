/** What a person does to the world, with a word on how it went. */
import { signal } from '@preact/signals'
import { type Need, refused } from './access.ts'
import { SandboxError, wordsOf } from './api.ts'
import { say } from './notice.ts'
import { expired, session, type Session } from './session.ts'
import { readClock, tellOthers } from './store.ts'
import { clock, setClock } from './world-clock.ts'

export { say } from './notice.ts'

/** Whether something is being done, so that nobody presses twice. */
export const busy = signal(false)

/**
 * Does it, and says what became of it.
 * @param need what the window's key has to be; where it is not, that is said and nothing is done
 * @returns whether it was done
 */
export async function act(
  work: (world: Session) => Promise<string | void>,
  need: Need = 'change',
): Promise<boolean> {
  const world = session.peek()
  if (!world || busy.peek() || refused(need)) return false
  busy.value = true
  try {
    const done = await work(world)
    if (done) say(done)
    return true
  } catch (error) {
    if (error instanceof SandboxError && error.status === 401) expired()
    else say(sentence(wordsOf(error)), true)
    return false
  } finally {
    busy.value = false
  }
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const steered = async (work: () => Promise<unknown>) => {
  await work()
  readClock()
  tellOthers('clock')
}

export const freezeOrResume = () =>
  act(async ({ client }) => {
    const { frozen } = await client.clock.show()
    await steered(() => (frozen ? client.clock.resume() : client.clock.freeze()))
    return frozen ? 'The clock goes on.' : 'The clock stands still.'
  })

/** @param to such as `1h`, or a time */
export const advance = (to: string | Date) =>
  act(async ({ client }) => {
    const { ran_count, clock } = await client.clock.advance(to)
    setClock(clock)
    tellOthers('clock')
    return `The clock is at ${clock.now.slice(0, 16).replace('T', ' ')} UTC; ${did(ran_count)}.`
  })

export const settle = () =>
  act(async ({ client }) => {
    const { ran_count, clock } = await client.settle()
    setClock(clock)
    tellOthers('clock')
    return `Settled: ${did(ran_count)}.`
  })

export const setSpeed = (factor: number) =>
  act(async ({ client }) => {
    await steered(() => client.clock.speed(factor))
    return factor === 1 ? 'The clock goes as fast as ours.' : `The clock goes ${factor} times as fast.`
  })

/** What is due by a clock that stands still waits until that goes on; this does it where it stands. */
export const runDue = () =>
  act(async ({ client }) => {
    const { ran_count, clock } = await client.clock.advance('0s')
    setClock(clock)
    return `${sentence(did(ran_count))}.`
  })

const did = (count: number) =>
  count === 0 ? 'nothing was due' : count === 1 ? '1 thing was done' : `${count} things were done`

export const resend = (id: number) =>
  act(async ({ client }) => {
    await client.callbacks.resend(id)
    return `Callback ${id} is sent again.`
  })

/** Puts a text where the reader can paste it. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    say(`${what} copied.`)
  } catch {
    say('The browser lets nothing be copied here; select the text instead.', true)
  }
}

export const isFrozen = () => clock.peek()?.frozen === true
