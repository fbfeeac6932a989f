/** The list of outcomes: scenarios by name, by reason code of the service, and by other words with the same meaning. */
import { suggest } from '../lib/text/suggest.ts'
import { type Reason, reasons, type Rail } from '../service/vocabulary/rails.ts'
import type { Direction } from '../service/vocabulary/terms.ts'
import type { Scenario } from './scenario.ts'

/** Other words for shipped outcomes. Reason codes are added from the scenarios themselves. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
  success: ['paid', 'ok', 'succeeds', 'successful', 'completed', 'delivered'],
  'payer-cancels': ['canceled', 'cancel', 'user-cancels', 'customer-cancels', 'rejected'],
  'insufficient-funds': ['no-funds', 'no-money', 'low-balance', 'not-enough-money'],
  'wrong-pin': ['bad-pin', 'invalid-pin'],
  'prompt-expires': ['timeout', 'timed-out', 'expires'],
  'prompt-unanswered': ['no-answer', 'ignored'],
  'payer-unreachable': ['phone-off', 'offline'],
  'card-declined': ['declined', 'do-not-honor'],
  'duplicate-callback': ['duplicate', 'callback-twice', 'delivered-twice', 'twice'],
  'callback-lost': ['no-callback', 'missing-callback', 'callback-missing'],
  'callback-late': ['late-callback', 'slow-callback', 'delayed-callback'],
  'callbacks-out-of-order': ['out-of-order', 'wrong-order'],
  'callback-before-response': ['race', 'early-callback'],
  'callback-underpaid': ['underpaid', 'wrong-amount'],
  'callback-overpaid': ['overpaid'],
  'callback-other-currency': ['wrong-currency'],
  'stuck-without-callback': ['stuck', 'pending', 'queued', 'never-settles'],
  'success-then-reversed': ['reversed', 'refunded', 'chargeback'],
  'rate-limited': ['too-many-requests', '429'],
  'server-error': ['500', 'internal-error'],
  'provider-down': ['502', 'bad-gateway', 'outage'],
  unauthenticated: ['401', 'unauthorized', 'wrong-credentials'],
  'connection-reset': ['network-error', 'disconnected'],
  'insufficient-balance': ['empty-wallet', 'wallet-empty'],
  'recipient-not-found': ['unknown-recipient', 'wrong-number'],
}

/** Words that mean the same within the name of an outcome. */
const meanings = [
  /^(cancel|abort|reject|refus)/,
  /^(twice|duplicat|double|repeat|again|dup$|two)/,
  /^(late|slow|delay)/,
  /^(lost|lose|missing|drop|never|no$|without)/,
  /^(funds?|money|balance|broke|poor)$/,
  /^(insufficient|low|not$|enough|lack)/,
  /^(timeout|timed|expir)/,
  /^(callbacks?|webhooks?|notifications?|events?)$/,
  /^(revers|refund|chargeback|return)/,
  /^(payer|customer|user|client|subscriber)s?$/,
  /^(wrong|bad|invalid|incorrect)$/,
  /^(pin|password)$/,
  /^(down|unavailable|outage|unreachable)$/,
  /^(declin|denied|dishono)/,
]

const plain = (word: string) =>
  word
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-')

function meaningsIn(name: string): ReadonlySet<string> {
  const meaningOf = (word: string) => {
    const group = meanings.findIndex((words) => words.test(word))
    return group < 0 ? word : String(group)
  }
  return new Set(plain(name).split('-').filter(Boolean).map(meaningOf))
}

/** Returns the reason with which a scenario ends a payment, if it has only one. */
export function reasonOf({ script }: Scenario): Reason | undefined {
  return script.kind === 'then' ? script.outcome.plan?.settle?.reason : undefined
}

/** Returns the direction of a scenario for payments; undefined for both. */
export function directionOf({ conditions, operations }: Scenario): Direction | undefined {
  const condition = conditions?.find(({ field }) => field === 'direction')
  if (condition) return condition.holds('payout') ? 'payout' : 'payin'
  if (operations.has('createGlobalPayment')) return undefined
  if (operations.has('createCollection')) return 'payin'
  return operations.has('createWithdrawal') ? 'payout' : undefined
}

/** Returns the rail that the reason of a scenario requires; undefined if mobile money has it too. */
export function railOf(scenario: Scenario): Rail | undefined {
  const reason = reasonOf(scenario)
  const { rails = [] } = (reason ? reasons[reason] : {}) as { readonly rails?: readonly Rail[] }
  return rails.includes('momo') ? undefined : rails[0]
}

type Scenarios = ReadonlyMap<string, Scenario>

/** Returns the aliases of each shipped scenario: the reason codes for which it is the usual one, and words with the same meaning. */
export function aliasTable(byName: Scenarios): ReadonlyMap<string, readonly string[]> {
  const shipped = [...byName.values()].filter((each) => each.shipped)
  const usual = new Map<string, Scenario>()
  for (const each of shipped) {
    const reason = reasonOf(each)
    if (reason === undefined) continue
    const key = `${reason} ${directionOf(each) ?? ''}`
    const known = usual.get(key)
    if (!known || rank(each, reason) < rank(known, reason)) usual.set(key, each)
  }
  return new Map(
    shipped.map((each) => {
      const reason = reasonOf(each)
      const isUsual = usual.get(`${reason} ${directionOf(each) ?? ''}`) === each
      const words = [...(reason && isUsual ? [reason] : []), ...(otherWords[each.name] ?? [])]
      return [each.name, words.filter((word) => word !== each.name)]
    }),
  )
}

/** Ranks the scenarios with a reason: first the one of its name, then those without a later change. */
const rank = ({ name, script }: Scenario, reason: Reason) =>
  (plain(reason) === name ? 0 : 2) + (script.kind === 'then' && script.outcome.plan?.later ? 1 : 0)

/**
 * Returns the scenario that a name or an alias means.
 * @param direction - Decides between scenarios with the same alias, such as `duplicate`.
 */
export function findOutcome(byName: Scenarios, word: string, direction?: Direction): Scenario | undefined {
  const fits = (each: Scenario) => [undefined, direction ?? directionOf(each)].includes(directionOf(each))
  const sought = plain(word)
  const exact = byName.get(word) ?? byName.get(sought)
  if (exact && fits(exact)) return exact
  const found = [...aliasTable(byName)]
    .filter(([, aliases]) => aliases.some((alias) => plain(alias) === sought))
    .map(([name]) => byName.get(name)!)
  return found.find(fits) ?? exact ?? found[0]
}

/** Returns the name of the outcome that an unknown word probably means: by meaning, otherwise by spelling. */
function nearestOutcome(byName: Scenarios, word: string): string | undefined {
  if (word.length > LONGEST) return undefined
  const aliases = aliasTable(byName)
  const outcomeOf = new Map<string, string>()
  for (const name of byName.keys())
    for (const each of [name, ...(aliases.get(name) ?? [])])
      if (!outcomeOf.has(plain(each))) outcomeOf.set(plain(each), name)
  const sought = meaningsIn(word)
  let best = { name: '', score: 0 }
  for (const [each, name] of outcomeOf) {
    const own = meaningsIn(each)
    const common = [...sought].filter((meaning) => own.has(meaning)).length
    const score = common / (own.size + sought.size - common)
    if (score > best.score) best = { name, score }
  }
  if (best.score >= 0.5) return best.name
  const spelt = suggest(plain(word), outcomeOf.keys())
  return spelt === undefined ? best.name || undefined : outcomeOf.get(spelt)
}

/** Longer words get no suggestion. */
const LONGEST = 100

/** Returns ` (did you mean wrong-pin?)` for an unknown word, or an empty text. */
export function meantOutcome(byName: Scenarios, word: string): string {
  const nearest = nearestOutcome(byName, word)
  return nearest === undefined ? '' : ` (did you mean ${nearest}?)`
}
