import { Command } from '@commander-js/extra-typings'
import { Refusal } from './failures.ts'
import { deliveryText } from './follow.ts'
import { durationOr, type End } from './options.ts'
import { exitCodes, painter } from './output.ts'
import type { Process } from './process.ts'
import { worldCommand, type Session } from './world-command.ts'
import type { CallbackDetails } from '../client/types.ts'
import { pause, systemWall } from '../lib/clock/clock.ts'

export const resendCommand = (io: Process, end: End) =>
  worldCommand(io, end)(
    new Command('resend')
      .description(
        'Resend the callbacks of a payment, one callback by its number, or all failed ones, and show the responses. Exit code 1: a receiver failed.',
      )
      .argument('[ids...]', 'numbers of callbacks, or references of payments')
      .option('--failed', 'all failed callbacks')
      .addOption(durationOr('--for', 'how long to wait for the receiver', '10s')),
    async (session, ids, { failed, for: limit }) => {
      if (failed ? ids.length > 0 : ids.length === 0)
        throw new Refusal('name the callbacks to resend, or pass --failed', exitCodes.usage)
      const { world, out } = session
      const before = await chosen(session, ids, failed)
      if (before.length === 0)
        out.say(
          'no callback has failed for good; to resend a pending one, pass its number or the reference of its payment',
        )
      let code: number = exitCodes.done
      const ends = systemWall() + limit
      for (const { callback, attempts } of before) {
        if (!failed) await world.callbacks.resend(callback.id)
        const arrived = await printAttempt(session, callback.id, attempts.at(-1)?.number ?? 0, ends)
        if (!arrived) code = exitCodes.no
      }
      return code
    },
  )

/** Milliseconds between two polls. */
const INTERVAL = 100

/** Returns the callbacks before they are resent. */
async function chosen({ world }: Session, ids: readonly string[], failed = false) {
  const { callbacks } = world
  const found: CallbackDetails[] = []
  if (failed) {
    const all = await callbacks.list({ state: 'failed' })
    for (const { id } of all) found.push(await callbacks.get(id))
    await callbacks.resendAll({ state: 'failed' })
  }
  for (const id of ids) {
    const listed = /^\d{1,15}$/.test(id) ? [{ id: Number(id) }] : await callbacks.list({ reference: id })
    if (listed.length === 0) {
      const { transaction } = await world.transactions.get(id)
      throw new Refusal(`${transaction.reference} (${id}) has no callback yet`)
    }
    for (const each of listed) found.push(await callbacks.get(each.id))
  }
  return found
}

/** Waits for the attempt after `last` and prints it. @returns Whether it was delivered. */
async function printAttempt(
  { world, out }: Session,
  id: number,
  last: number,
  ends: number,
): Promise<boolean> {
  const paint = painter(out.colours)
  for (;;) {
    const { callback, attempts } = await world.callbacks.get(id)
    const attempt = attempts.find(({ number }) => number > last)
    const about = `callback ${id} of ${callback.external_reference || callback.transaction}`
    if (attempt) {
      const { response: answer, error } = attempt
      const arrived = answer !== null && answer.status >= 200 && answer.status < 300
      const result = paint(arrived ? 'green' : 'red', answer ? `responded with ${answer.status}` : error)
      out.say(`${about}  ${result}${deliveryText(attempt)}`, { kind: 'attempt', callback: id, ...attempt })
      return arrived
    }
    if (systemWall() >= ends) {
      out.say(`${about}  not sent yet; due at ${callback.next_attempt_at}, use clock advance`, {
        kind: 'waiting',
        callback: id,
        next_attempt_at: callback.next_attempt_at,
      })
      return false
    }
    await pause(INTERVAL)
  }
}
