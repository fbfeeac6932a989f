import type { Stage } from '../stage.ts'
import { act } from '../act.ts'
import { parsedJson } from '../../lib/text/parsed-json.ts'
import { valueAt } from '../json-path.ts'
import { Undecided } from '../undecided.ts'
import { fail, type Finding, type ActiveCheck, pass, unsure } from './try.ts'

type Then = Parameters<Stage['meet']>[1]

/** How many differences the shop finds between its orders and the statement of the world. @throws Undecided when it says none */
async function differences(stage: Stage): Promise<number> {
  const { reconcile } = stage.profile
  const answer = await stage.world.fetch('/sandbox/statements?format=csv')
  const statement = await answer.text()
  if (!answer.ok) throw new Undecided(`The statement cannot be had: ${statement}.`)
  if (typeof reconcile === 'function') return reconcile(statement)
  const { ok, text, error } = await act(stage.hands, reconcile!, { statement }, 'probe')
  if (!ok) throw new Undecided(`The shop’s reconciliation fails: ${error}.`)
  const found = valueAt(parsedJson(text), reconcile!.read.differences)
  const count = Array.isArray(found) ? found.length : Number(found ?? NaN)
  if (Number.isNaN(count))
    throw new Undecided(`The shop’s reconciliation tells no number at ${reconcile!.read.differences}.`)
  return count
}

/** Another payment as it is decided, and how many differences there are then. */
async function after(stage: Stage, title: string, then: Then): Promise<number> {
  await stage.meet(title, then)
  await stage.callbacks.told(await stage.settled())
  return differences(stage)
}

/** The same after a day with a few payments. */
async function day(stage: Stage): Promise<number> {
  await stage.meet('Payments succeed.', { settle: { status: 'success' } })
  for (let n = 0; n < 3; n++) await stage.callbacks.told(await stage.settled())
  return differences(stage)
}

/** What fails, unless no two payments can be told apart by the shop's own names of them. */
async function wrong(stage: Stage, seen: string): Promise<Finding> {
  const names = (await stage.requests.payments()).map(({ external_reference }) => external_reference)
  return new Set(names).size === names.length
    ? fail(seen)
    : unsure(`${seen} But payments share a reference, so that no list tells them apart, which is for CLI-1.`)
}

const equals: ActiveCheck = {
  time: 'alone',
  needs: ['trigger', 'reconcile'],
  async make(stage) {
    // Orders that were paid elsewhere before are none of this statement's.
    const known = await differences(stage)
    const found = await day(stage)
    if (found <= known) return pass('It found no difference.')
    return wrong(stage, `In a right statement it found ${found - known} differences.`)
  },
}

const noticed: ActiveCheck = {
  time: 'alone',
  needs: ['trigger', 'reconcile'],
  async make(stage) {
    const missed: string[] = []
    let known = await day(stage)
    for (const statement of ['line-missing', 'other-amount', 'line-twice'] as const) {
      const found = await after(stage, `The statement is wrong: ${statement}.`, {
        settle: { status: 'success' },
        statement,
      })
      if (found <= known) missed.push(statement)
      known = found
    }
    return missed.length === 0
      ? pass('It noticed each.')
      : wrong(stage, `It did not notice ${missed.join(', ')}.`)
  },
}

export const reconciliation = { 'REC-1': equals, 'REC-2': noticed } as const
