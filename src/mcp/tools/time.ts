import * as z from 'zod'
import type { Clock, Steered } from '../../client/types.ts'
import { described, duration, listOf, reference } from '../fields.ts'
import { ADDS, tool, ToolError } from '../tool.ts'

/** Things done that are told one by one. */
const SHOWN = 20

/** The world's time. */
export const clock = tool({
  name: 'clock',
  title: 'Freeze, move or show the clock',
  description:
    'Every world has its own time. show tells it and what is due next; freeze stops it; resume lets it run; speed lets it run faster; advance moves it on by a duration or to a time and runs what falls due on the way: time-outs, retries, late results, the day’s limits.',
  input: z.strictObject({
    action: z.enum(['show', 'freeze', 'resume', 'speed', 'advance']),
    by: duration.optional().describe('For advance: a duration such as 90s, 2h or 3d.'),
    to: z.string().max(40).optional().describe('For advance: a time as ISO 8601.'),
    factor: z.number().optional().describe('For speed: 60 is an hour a minute.'),
  }),
  output: z.object({
    clock: described('Its time, whether it stands still, its speed, and what is due next.'),
    ran: listOf('What was done on the way.'),
  }),
  hints: ADDS,
  async run(world, { action, by, to, factor }) {
    if (action === 'advance') {
      if ((by ?? to) === undefined)
        throw new ToolError('advance needs by (a duration such as 72h) or to (a time)')
      return steered(await world.clock.advance((by ?? to)!))
    }
    if (action === 'speed') {
      if (factor === undefined) throw new ToolError('speed needs a factor, such as 60 for an hour a minute')
      await world.clock.speed(factor)
    } else if (action !== 'show') await world.clock[action]()
    const shown = await world.clock.show()
    return { text: clockLine(shown), facts: { clock: shown, ran: [] } }
  },
})

function clockLine({ now, frozen, speed, scheduled, next }: Clock): string {
  const pace = frozen ? 'stands still' : speed === 1 ? 'runs' : `runs ${speed} times as fast`
  return `It is ${now} in this world; the clock ${pace}. ${next ? `${scheduled} things are due, next ${next.kind} at ${next.due_at}.` : 'Nothing is due.'}`
}

function steered({ clock: now, ran, ran_count, complete }: Steered) {
  const lines = ran.slice(-SHOWN).map((each) => `${each.due_at} ${each.kind}: ${each.result}`)
  return {
    text: [
      `${ran_count} things were done.`,
      ...lines,
      complete ? '' : 'There is more to do: call it again.',
      clockLine(now),
    ]
      .filter(Boolean)
      .join('\n'),
    facts: { clock: now, ran: ran.slice(-SHOWN) },
  }
}

/** What is owed, done. */
export const settle = tool({
  name: 'settle',
  title: 'Let payments end',
  description:
    'Runs the world until nothing is owed, retries of callbacks included: payments end, callbacks are sent. With a reference and an outcome it ends that one payment as its provider would. The clock moves on as far as needed.',
  input: z.strictObject({
    within: duration
      .optional()
      .describe('How far the clock may go, such as 10m; as far as needed when left out.'),
    reference: reference.optional().describe('One payment to end; needs an outcome.'),
    outcome: z.enum(['success', 'failed', 'reversed']).optional().describe('How that payment is to end.'),
    reason: z.string().max(64).optional().describe('Why it fails, such as cancelled or insufficient_funds.'),
  }),
  output: z.object({
    clock: described('Its time afterwards.'),
    ran: listOf('What was done on the way.'),
    transaction: described('The payment that was ended; null when none was named.').nullable(),
  }),
  hints: ADDS,
  async run(world, { within, reference: one, outcome, reason }) {
    if ((one === undefined) !== (outcome === undefined))
      throw new ToolError('reference and outcome belong together: which payment, and how it is to end')
    const ended =
      one === undefined
        ? null
        : await world.transactions.simulate(one, {
            outcome: outcome!,
            ...(reason && { reason: reason as 'cancelled' }),
          })
    const { text, facts } = steered(await world.settle(within === undefined ? {} : { within }))
    return { text, facts: { ...facts, transaction: ended } }
  },
})
