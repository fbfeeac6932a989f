/** How often a client asks what became of a payment, judged from the record alone. */
import { ofRequest } from '../exchange.ts'
import type { ShopRequest, Scene } from '../scene.ts'
import { FAULTS, isLookUp, textAt } from './recorded.ts'
import { fail, type RecordCheck, notSeen, pass } from './try.ts'

/** Look-ups by the payment that they ask for. */
function lookUpsOf({ requests }: Scene): ReadonlyMap<string, readonly ShopRequest[]> {
  const found = new Map<string, ShopRequest[]>()
  for (const each of requests) {
    if (!isLookUp(each)) continue
    const id = textAt(each.body, 'request_id') ?? ''
    found.set(id, [...(found.get(id) ?? []), each])
  }
  return found
}

/** A world's whole record tells in which order look-ups came, also where its clock stands still. */
const isTold = ({ real, check }: Scene) => real || check === null
const STANDS_STILL = 'The world’s clock stands still: how long the shop waited is not on record.'

/** Between requests, on average; milliseconds. */
const gapOf = (asked: readonly ShopRequest[]): number =>
  asked.length < 2 ? Infinity : (asked.at(-1)!.came - asked[0]!.came) / (asked.length - 1)

const MOST_LOOK_UPS = 100
/** Between two look-ups, milliseconds; a little less than the second that is asked for. */
const LEAST_GAP = 900

const unhurried: RecordCheck = {
  judge(scenes) {
    // Before it sends again what was not answered, a careful client asks each time.
    const judged = scenes.filter((scene) => isTold(scene) && !FAULTS.includes(scene.check))
    const groups = judged.flatMap((scene) =>
      [...lookUpsOf(scene).values()].map((asked) => ({ asked, real: scene.real })),
    )
    if (groups.length === 0) return notSeen('No look-up is on record.')
    const all = groups.reduce((sum, { asked }) => sum + asked.length, 0)
    const seen = `${all} look-ups for ${groups.length} payments`
    const wrong = groups.find(
      ({ asked, real }) => asked.length > MOST_LOOK_UPS || (real && gapOf(asked) < LEAST_GAP),
    )
    if (!wrong)
      return judged.every(({ real }) => real) ? pass(`${seen}.`) : notSeen(`${seen}. ${STANDS_STILL}`)
    const { asked, real } = wrong
    const span = real ? ` in ${((asked.at(-1)!.came - asked[0]!.came) / 1000).toFixed(1)} s` : ''
    return fail(
      `For one payment there were ${asked.length} look-ups${span}.`,
      ...asked.slice(0, 4).map((each, n) => ofRequest(each, `look-up ${n + 1}`)),
    )
  },
}

const FINAL = /"status":"(success|failed|reversed)"/i
/** During these look-ups contradict callbacks, or callbacks are not to be believed. */
const ORDINARY: readonly Scene['check'][] = [null, 'CLI-6', 'CLI-8', 'CLI-16']

const content: RecordCheck = {
  judge(scenes) {
    const judged = scenes.filter((scene) => isTold(scene) && ORDINARY.includes(scene.check))
    const groups = judged.flatMap((scene) =>
      [...lookUpsOf(scene)].map(([id, asked]) => ({ id, asked, scene })),
    )
    if (groups.length === 0) return notSeen('No look-up is on record.')
    const late: ShopRequest[] = []
    for (const { id, asked, scene } of groups) {
      const { callbacks, transactions } = scene
      const names = transactions.find((each) =>
        [each.reference, each.external_reference, each.checkout_request_id].includes(id),
      )
      const delivered = callbacks.filter(
        ({ callback }) => callback.transaction === names?.reference && callback.state === 'delivered',
      )
      // On record are whole seconds of the world's clock; what came in the same second may have come before.
      const told = Math.min(...delivered.map(({ attempts }) => Date.parse(attempts.at(-1)?.at ?? '') + 1_000))
      const reversed = names?.status === 'REVERSED'
      let known = false
      for (const each of asked) {
        if (known || (scene.real && !reversed && Date.parse(each.at) > told)) late.push(each)
        known ||= FINAL.test(JSON.stringify(each.answer))
      }
    }
    const seen = `${groups.length} payments were looked up`
    if (late.length === 0)
      return judged.every(({ real }) => real)
        ? pass(`${seen}, none once it was known how it ended.`)
        : notSeen(`${seen}, none once a look-up had told how it ended. ${STANDS_STILL}`)
    return fail(
      `${late.length} look-ups asked for what was known already.`,
      ...late.slice(0, 4).map((each) => ofRequest(each, 'look-up')),
    )
  },
}

export const recordLookUps = { 'CLI-7': unhurried, 'CLI-15': content } as const
