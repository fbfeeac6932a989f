import { signal } from '@preact/signals'
import { type Need, refusal, refused } from './access.ts'
import { SandboxError, wordsOf } from './api.ts'
import { dialog } from './dialogs.ts'
import { say } from './notice.ts'
import { expired, session, type Session } from './session.ts'
import { readClock, tellOthers } from './store.ts'
import { clock, setClock } from './world-clock.ts'

export { say } from './notice.ts'

/** Whether an action is running, which disables buttons and marks the page as busy. */
export const busy = signal(false)

/**
 * Runs an action and reports its result.
 * @param need - the required permission; if the key lacks it, an explanation is shown instead
 * @returns whether the action succeeded
 */
export async function act(
  work: (world: Session) => Promise<string | void>,
  need: Need = 'change',
): Promise<boolean> {
  const world = session.peek()
  return world !== undefined && !refused(need) && perform(() => work(world))
}

/** Runs an action that needs no session. @returns whether it succeeded */
export async function perform(work: () => Promise<string | void>): Promise<boolean> {
  if (busy.peek()) return false
  busy.value = true
  try {
    const done = await work()
    if (done) say(done)
    return true
  } catch (error) {
    if (error instanceof SandboxError && error.status === 401 && session.peek()) expired()
    else say(sentence(wordsOf(error)), true)
    return false
  } finally {
    busy.value = false
  }
}

export const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const steered = async (work: () => Promise<unknown>) => {
  await work()
  readClock()
  tellOthers('clock')
}

export const freezeOrResume = () =>
  act(async ({ client }) => {
    const { frozen } = await client.clock.show()
    await steered(() => (frozen ? client.clock.resume() : client.clock.freeze()))
    return frozen ? 'The clock runs again.' : 'The clock is frozen.'
  })

/** @param to - a duration such as `1h`, or a time */
export const advance = (to: string | Date) =>
  act(async ({ client }) => {
    const { job_count, clock } = await client.clock.advance(to)
    setClock(clock)
    tellOthers('clock')
    return `The clock is at ${clock.now.slice(0, 16).replace('T', ' ')} UTC; ${did(job_count)}.`
  })

export const settle = () =>
  destroy(async ({ client }) => {
    const { job_count, clock } = await client.settle()
    setClock(clock)
    tellOthers('clock')
    return `Settled: ${did(job_count)}.`
  })

/** Settles one payment at once, and asks before it settles more. */
export const settleOrAsk = () => {
  if ((clock.peek()?.scheduled ?? 0) > 1 && !refused('change')) dialog.value = 'settle'
  else void settle()
}

export const setSpeed = (factor: number) =>
  act(async ({ client }) => {
    await steered(() => client.clock.speed(factor))
    return factor === 1
      ? 'The clock runs in real time.'
      : `The clock runs ${factor} times as fast as real time.`
  })

/** Runs jobs that are due in a frozen world. */
export const runDue = () =>
  act(async ({ client }) => {
    const { job_count, clock } = await client.clock.advance('0s')
    setClock(clock)
    return `${sentence(did(job_count))}.`
  })

const did = (count: number) =>
  count === 0 ? 'no job was due' : count === 1 ? '1 job ran' : `${count} jobs ran`

export const resend = (id: number) =>
  act(async ({ client }) => {
    await client.callbacks.resend(id)
    return `Callback ${id} resent.`
  })

/** A finished action, and how to take it back if that is possible. */
export interface Done {
  readonly text: string
  readonly undo?: ((world: Session) => Promise<string>) | undefined
}

/**
 * Performs an action and offers Undo for some time.
 * @returns whether the action succeeded
 */
export async function undoable(
  work: (world: Session) => Promise<Done>,
  need: Need = 'change',
): Promise<boolean> {
  let done: Done | undefined
  await act(async (world) => void (done = await work(world)), need)
  if (!done) return false
  const { text, undo } = done
  say(text, false, undo && (() => void act(undo, need)))
  return true
}

/** The last automatic snapshot, which the next one replaces. */
let automatic: { readonly world: string; readonly id: number } | undefined

/**
 * Performs an action that destroys data, after a snapshot that Undo restores. Only owners can take snapshots.
 * @returns whether the action succeeded
 */
export const destroy = (work: (world: Session) => Promise<string>, need: Need = 'change') =>
  undoable(async (world) => {
    if (refusal('own') !== undefined) return { text: await work(world) }
    const { client } = world
    if (automatic?.world === world.world) await client.snapshots.delete(automatic.id).catch(() => {})
    const { id } = await client.snapshots.take('before the last destructive action')
    automatic = { world: world.world, id }
    return {
      text: await work(world),
      async undo({ client: own, world: open }) {
        if (open !== world.world) throw new Error(`Open ${world.world} to undo this.`)
        await own.snapshots.restore(id)
        tellOthers('clock')
        return 'Undone.'
      },
    }
  }, need)

export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    say(`${what} copied.`)
  } catch {
    say('The browser blocks copying here. Select the text instead.', true)
  }
}

export function download(name: string, text: string, type = 'text/plain'): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
