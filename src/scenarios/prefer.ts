/** Preferences of one request: `Prefer` (RFC 7240) and `X-Sandbox-Scenario`. */
import { durationIssue } from '../lib/text/duration.ts'
import { reasonNames, reasonsOf } from '../service/vocabulary/rails.ts'
import type { CallbackPlan, Outcome, Preferred } from '../service/vocabulary/outcome.ts'
import { callbackPlanOf, callbackWords } from './then/callback.ts'
import { kycOperations, moneyOperations, statusesOf } from './operations.ts'
import { answerFaults } from '../service/vocabulary/terms.ts'
import { answerOf as errorAnswer, DELAYS } from './then/words.ts'
import { milliseconds, unknown } from '../lib/text/word-schemas.ts'

/** A known preference with an invalid value. */
export class PreferenceError extends Error {}

/** Ten times the length of all preferences together. */
const LONGEST_PREFER = 1_000

/**
 * Returns the preferences of a request, or undefined if it has none. As the RFC requires, unknown preferences
 * and those that do not apply to the operation are ignored.
 * @throws {PreferenceError} naming the preference, its value and the accepted values
 */
export function readPreferred(
  operation: string,
  direction: 'payin' | 'payout' | undefined,
  prefer: string | undefined,
  alias: string | undefined,
): Preferred | undefined {
  if (prefer === undefined && alias === undefined) return undefined
  if ((prefer?.length ?? 0) > LONGEST_PREFER)
    throw new PreferenceError(
      `Prefer must be at most ${LONGEST_PREFER} characters long, got ${prefer!.length}`,
    )
  const wishes = prefer === undefined ? new Map<string, string>() : parsePrefer(prefer)
  if (alias !== undefined && !wishes.has('scenario')) wishes.set('scenario', alias.trim())
  const applied = Object.entries(fits).flatMap(([name, fit]) => {
    const value = fit(operation) ? wishes.get(name) : undefined
    return value === undefined ? [] : [[name, value] as const]
  })
  if (applied.length === 0) return undefined
  const given: { readonly [Name in keyof typeof fits]?: string } = Object.fromEntries(applied)
  const { scenario, outcome: ended, reason, callback, delay, fault, code } = given
  const end = ended === undefined && reason === undefined ? {} : endOf(operation, direction, ended, reason)
  const plan = callback === undefined ? end.plan : { ...end.plan, callback: callbackOf(callback) }
  return {
    scenario,
    outcome: {
      ...end,
      ...(plan && { plan }),
      ...(delay !== undefined && { delay: delayOf(delay) }),
      ...(fault !== undefined && { fault: requireOneOf('fault', fault, answerFaults) }),
      ...(code !== undefined && { respond: answerOf(operation, code) }),
    },
    applied: applied.map(([name, value]) => `${name}=${value}`),
  }
}

const isMoney = (operation: string) => (moneyOperations as readonly string[]).includes(operation)
const isKyc = (operation: string) => (kycOperations as readonly string[]).includes(operation)
const always = () => true

/** Known preferences, and whether they apply to an operation. */
const fits = {
  scenario: always,
  outcome: (operation: string) => isMoney(operation) || isKyc(operation),
  reason: isMoney,
  callback: isMoney,
  delay: always,
  fault: always,
  code: always,
}

/**
 * Parses tokens with optional values and parameters. The first one of a name counts (RFC 7240, section 2).
 */
export function parsePrefer(header: string): Map<string, string> {
  const wishes = new Map<string, string>()
  for (const part of partsOf(header)) {
    const match = /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*)))?/.exec(part)
    if (!match) continue
    const name = match[1]!.toLowerCase()
    if (!wishes.has(name)) wishes.set(name, match[2]?.replace(/\\(.)/g, '$1') ?? match[3] ?? '')
  }
  return wishes
}

/** Splits a header at commas outside quotes. A quotation mark without a closing one counts as a comma. */
function partsOf(header: string): string[] {
  const parts: string[] = []
  let from = 0
  let closes = true
  for (let at = 0; at < header.length; at++) {
    if (header[at] !== ',' && header[at] !== '"') continue
    const end = header[at] === '"' && closes ? closingQuote(header, at) : -1
    if (end > 0) {
      at = end
      continue
    }
    // If this quotation mark is not closed, later ones are not either.
    if (header[at] === '"') closes = false
    parts.push(header.slice(from, at))
    from = at + 1
  }
  return [...parts, header.slice(from)]
}

/** Returns the index of the closing quotation mark, or -1. */
function closingQuote(header: string, from: number): number {
  for (let at = from + 1; at < header.length; at++) {
    if (header[at] === '"') return at
    if (header[at] === '\\') at++
  }
  return -1
}

const ends = ['success', 'failed', 'queued', 'reversed'] as const
const reviews = ['approved', 'rejected', 'pending'] as const

function endOf(
  operation: string,
  direction: 'payin' | 'payout' | undefined,
  ended: string | undefined,
  named: string | undefined,
): Outcome {
  if (isKyc(operation)) {
    const review = requireOneOf('outcome', ended!, reviews)
    if (review === 'pending') return { review: [] }
    const reasons = review === 'rejected' ? ['The submission was rejected.'] : []
    return { review: [{ status: review, after: 0, reasons }] }
  }
  const reasons = direction ? reasonsOf(direction) : reasonNames
  const reason = named === undefined ? undefined : requireOneOf('reason', named, reasons)
  const end = ended === undefined ? 'failed' : requireOneOf('outcome', ended, ends)
  if (reason && end !== 'failed')
    throw new PreferenceError(`Prefer: reason=${reason}: a reason requires outcome=failed, not ${end}`)
  if (end === 'queued') return { plan: { settle: { never: true } } }
  if (end === 'reversed')
    return { plan: { settle: { status: 'success' }, later: [{ after: 0, status: 'reversed' }] } }
  if (end === 'success') return { plan: { settle: { status: 'success' } } }
  const usual = direction === 'payout' ? 'recipient_not_found' : 'cancelled'
  return { plan: { settle: { status: 'failed', reason: reason ?? usual } } }
}

const wishes = ['none', 'flat', 'nested', ...callbackWords] as const

function callbackOf(word: string): CallbackPlan {
  const wish = requireOneOf('callback', word, wishes)
  if (wish === 'none') return { drop: true }
  if (wish === 'flat' || wish === 'nested') return { shape: wish }
  return callbackPlanOf(wish)
}

function delayOf(written: string): number {
  const fault = durationIssue(written, DELAYS)
  if (fault) throw new PreferenceError(`Prefer: delay=${written}: ${fault}`)
  return milliseconds(written)
}

function answerOf(operation: string, code: string): Outcome['respond'] {
  const declared = statusesOf(operation).filter((status) => status >= 400)
  const status = Number(requireOneOf('code', code, declared.map(String)))
  return errorAnswer({ status, error_message: `Prefer requested code=${code}` })
}

function requireOneOf<const Word extends string>(name: string, word: string, words: readonly Word[]): Word {
  const found = words.find((each) => each === word)
  if (found) return found
  throw new PreferenceError(`Prefer: ${name}=${word}: ${unknown(word, `a value of ${name}`, words)}`)
}
