import { parsedJson } from '../../lib/text/parsed-json.ts'
import { valueAt } from '../expressions.ts'
import type { CheckRun, Then } from '../check-run.ts'
import { fail, type Finding, pass, sharing, unsure } from './check.ts'
import { act, InconclusiveError } from '../shop-access.ts'
import type { Exchange } from '../certification.ts'

export const reconciliation = sharing({
  level: 'recommended',
  feature: 'reconciliation',
  docs: 'control-api.md',
  time: 'alone',
  needs: ['trigger', 'reconcile'],
  probe: true,
})({
  'REC-1': {
    title: 'Matches a correct daily statement',
    tried: 'The shop compares its orders with the correct statement of the day.',
    expected: 'It finds no difference.',
    impact: 'After a few false alarms, real differences are ignored, too.',
    fix: 'Match lines by your own reference; calculate the cost as the statement does, and days in the Team’s time zone.',
    async make(run) {
      // The statement lacks orders that were paid elsewhere before.
      const known = (await differences(run)).count
      const { count, exchange } = await day(run)
      if (count <= known) return pass('It found no difference.', exchange)
      return wrong(run, `It found ${count - known} differences in a correct statement.`)
    },
  },
  'REC-2': {
    title: 'Detects a wrong statement',
    tried:
      'The shop compares its orders with faulty statements: a line is missing, has another amount, or appears twice.',
    expected: 'It finds a difference in each.',
    impact: 'Differences that stay unnoticed are written off at the end of the year.',
    fix: 'Match in both directions, with amounts, and each line once.',
    async make(run) {
      const missed: string[] = []
      const exchanges: Exchange[] = []
      let known = (await day(run)).count
      for (const statement of ['line-missing', 'other-amount', 'line-twice'] as const) {
        const { count, exchange } = await after(run, `The statement is wrong: ${statement}.`, {
          settle: { status: 'success' },
          statement,
        })
        exchanges.push(exchange)
        if (count <= known) missed.push(statement)
        known = count
      }
      return missed.length === 0
        ? pass('It detected each fault.', ...exchanges)
        : wrong(run, `It did not detect ${missed.join(', ')}.`)
    },
  },
})

interface Compared {
  readonly count: number
  readonly exchange: Exchange
}

/**
 * Returns the number of differences that the shop finds between its orders and the statement. @throws InconclusiveError if
 * it returns no number
 */
export async function differences(run: CheckRun): Promise<Compared> {
  const { reconcile } = run.profile
  const answer = await run.world.fetch('/sandbox/statements?format=csv')
  const statement = await answer.text()
  if (!answer.ok) throw new InconclusiveError(`The statement is not available: ${statement}.`)
  const what = typeof reconcile === 'function' ? () => reconcile(statement) : reconcile!
  const { ok, text, error, exchange } = await act(run.access, what, { statement }, 'probe')
  if (!ok) throw new InconclusiveError(`The shop’s reconciliation fails: ${error}.`)
  const found =
    typeof reconcile === 'function'
      ? parsedJson(text)
      : valueAt(parsedJson(text), reconcile!.read.differences)
  const count = Array.isArray(found) ? found.length : Number(found ?? NaN)
  if (Number.isNaN(count))
    throw new InconclusiveError('The shop’s reconciliation returns no number of differences.')
  return { count, exchange }
}

/** Takes another payment with the outcome `then` and returns the number of differences. */
export async function after(run: CheckRun, title: string, then: Then): Promise<Compared> {
  await run.useScenario(title, then)
  await payAndBook(run)
  return differences(run)
}

/** Takes a payment, and waits until a shop with a queue has booked it, if the probe shows that. */
async function payAndBook(run: CheckRun): Promise<void> {
  const paid = await run.payAndSettle()
  await run.callbacks.waitForAll(paid)
  if (run.look) await run.standing(paid, ({ state }) => state !== 'open', { queues: false })
}

/** Returns the number of differences after three payments. */
export async function day(run: CheckRun): Promise<Compared> {
  await run.useScenario('Payments succeed.', { settle: { status: 'success' } })
  for (let n = 0; n < 3; n++) await payAndBook(run)
  return differences(run)
}

/** Fails, unless payments share a reference, so that no list can tell them apart. */
async function wrong(run: CheckRun, seen: string): Promise<Finding> {
  const names = (await run.orders.allPayments()).map(({ external_reference }) => external_reference)
  return new Set(names).size === names.length
    ? fail(seen)
    : unsure(`${seen} But payments share a reference and cannot be told apart, which CLI-1 checks.`)
}
