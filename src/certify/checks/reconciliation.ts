import { parsedJson } from '../../lib/text/parsed-json.ts'
import { valueAt } from '../expressions.ts'
import type { CheckRun, Then } from '../check-run.ts'
import { InconclusiveError } from '../inconclusive.ts'
import { type Checks, fail, type Finding, pass, unsure } from './check.ts'
import { act } from '../shop-access.ts'

const made = { level: 'recommended', mode: 'active', probe: true } as const

export const reconciliation = {
  'REC-1': {
    ...made,
    feature: 'reconciliation',
    title: 'Matches a correct daily statement',
    tried: 'The shop compares its orders with the correct statement of the day.',
    expected: 'It finds no difference.',
    impact: 'After a few false alarms, real differences are ignored, too.',
    fix: 'Match lines by your own reference; calculate the cost as the statement does, and days in the Team’s time zone.',
    docs: 'control-api.md',
    time: 'alone',
    needs: ['trigger', 'reconcile'],
    async make(run) {
      // The statement lacks orders that were paid elsewhere before.
      const known = await differences(run)
      const found = await day(run)
      if (found <= known) return pass('It found no difference.')
      return wrong(run, `It found ${found - known} differences in a correct statement.`)
    },
  },
  'REC-2': {
    ...made,
    feature: 'reconciliation',
    title: 'Detects a wrong statement',
    tried:
      'The shop compares its orders with faulty statements: a line is missing, has another amount, or appears twice.',
    expected: 'It finds a difference in each.',
    impact: 'Differences that stay unnoticed are written off at the end of the year.',
    fix: 'Match in both directions, with amounts, and each line once.',
    docs: 'control-api.md',
    time: 'alone',
    needs: ['trigger', 'reconcile'],
    async make(run) {
      const missed: string[] = []
      let known = await day(run)
      for (const statement of ['line-missing', 'other-amount', 'line-twice'] as const) {
        const found = await after(run, `The statement is wrong: ${statement}.`, {
          settle: { status: 'success' },
          statement,
        })
        if (found <= known) missed.push(statement)
        known = found
      }
      return missed.length === 0
        ? pass('It detected each fault.')
        : wrong(run, `It did not detect ${missed.join(', ')}.`)
    },
  },
} as const satisfies Checks

/**
 * Returns the number of differences that the shop finds between its orders and the statement. @throws InconclusiveError if
 * it returns no number
 */
async function differences(run: CheckRun): Promise<number> {
  const { reconcile } = run.profile
  const answer = await run.world.fetch('/sandbox/statements?format=csv')
  const statement = await answer.text()
  if (!answer.ok) throw new InconclusiveError(`The statement is not available: ${statement}.`)
  if (typeof reconcile === 'function') return reconcile(statement)
  const { ok, text, error } = await act(run.access, reconcile!, { statement }, 'probe')
  if (!ok) throw new InconclusiveError(`The shop’s reconciliation fails: ${error}.`)
  const found = valueAt(parsedJson(text), reconcile!.read.differences)
  const count = Array.isArray(found) ? found.length : Number(found ?? NaN)
  if (Number.isNaN(count))
    throw new InconclusiveError(
      `The shop’s reconciliation returns no number at ${reconcile!.read.differences}.`,
    )
  return count
}

/** Takes another payment with the outcome `then` and returns the number of differences. */
async function after(run: CheckRun, title: string, then: Then): Promise<number> {
  await run.useScenario(title, then)
  await run.callbacks.waitForAll(await run.payAndSettle())
  return differences(run)
}

/** Returns the number of differences after three payments. */
async function day(run: CheckRun): Promise<number> {
  await run.useScenario('Payments succeed.', { settle: { status: 'success' } })
  for (let n = 0; n < 3; n++) await run.callbacks.waitForAll(await run.payAndSettle())
  return differences(run)
}

/** Fails, unless payments share a reference, so that no list can tell them apart. */
async function wrong(run: CheckRun, seen: string): Promise<Finding> {
  const names = (await run.requests.payments()).map(({ external_reference }) => external_reference)
  return new Set(names).size === names.length
    ? fail(seen)
    : unsure(`${seen} But payments share a reference and cannot be told apart, which CLI-1 checks.`)
}
