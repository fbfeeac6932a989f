import type {
  Amounts,
  Certification,
  CheckResult,
  Met,
  Standing,
  Summary,
  Verdict,
} from '../certification.ts'
import { formatDuration } from '../../lib/text/duration.ts'
import { isUrl } from '../../lib/text/is-url.ts'
import { bySeverity, type Group, groups } from '../check-ids.ts'
import type { CheckedSignature } from '../verify.ts'
import { escaped as escapedMarkup } from '../../lib/text/escaped.ts'

export const verdictWords = {
  pass: 'Passed',
  fail: 'Failed',
  inconclusive: 'Inconclusive',
  not_seen: 'Not seen',
  not_applicable: 'Not applicable',
  waived: 'Waived',
} as const satisfies Record<Verdict, string>

/** The meanings of verdicts for first-time readers. */
export const verdictMeanings = {
  pass: 'Certify observed the expected behaviour.',
  fail: 'Certify observed other behaviour.',
  inconclusive:
    'The check ran, but the observation proves nothing, such as a rejection if the valid request is rejected, too.',
  not_seen:
    'The check did not run: the request log has no matching requests, or the profile lacks a probe, trigger or restart.',
  not_applicable: 'The profile does not list the feature.',
  waived: 'The check failed, and the profile accepts the failure for a time.',
} as const satisfies Record<Verdict, string>

/** The verdicts that require work, most urgent first. */
const URGENCY = ['fail', 'inconclusive', 'not_seen'] as const satisfies readonly Verdict[]

/** Returns the remaining work: mandatory before recommended, then by verdict and severity. Leaves out consequences. */
export const leftToDo = ({ checks }: Certification): readonly CheckResult[] =>
  checks
    .filter(({ verdict, because }) => (URGENCY as readonly Verdict[]).includes(verdict) && because === null)
    .toSorted((a, b) => rank(a) - rank(b) || bySeverity(a, b))

const rank = ({ verdict, level }: CheckResult): number =>
  (level === 'mandatory' ? 0 : URGENCY.length) + (URGENCY as readonly Verdict[]).indexOf(verdict)

export const worstOf = ({ checks, summary }: Certification): CheckResult | undefined =>
  checks.find(({ id }) => id === summary.fix_first)

/** The looks of each standing. Only `ready` is green. */
export const standingLooks = {
  ready: { tone: 'good', sign: '✅', sentence: 'Ready to go live' },
  ready_with_waivers: { tone: 'wait', sign: '⚠️', sentence: 'Ready with waivers' },
  so_far: { tone: 'wait', sign: '⚠️', sentence: 'No failure so far' },
  undecided: { tone: 'wait', sign: '⚠️', sentence: 'Undecided' },
  not_ready: { tone: 'bad', sign: '❌', sentence: 'Not ready to go live' },
} as const satisfies Record<Standing, { tone: 'good' | 'wait' | 'bad'; sign: string; sentence: string }>

/** Such as `ready with 2 waivers`. */
export const standingText = ({ standing, waived }: Pick<Summary, 'standing' | 'waived'>): string =>
  standing === 'ready_with_waivers'
    ? `ready with ${waived} ${waived === 1 ? 'waiver' : 'waivers'}`
    : standing.replaceAll('_', ' ')

/** Returns how many mandatory checks passed, of those that apply. */
export const mandatoryOf = ({
  summary: { mandatory },
}: Certification): { readonly passed: number; readonly of: number } => ({
  passed: mandatory.pass,
  of: Object.values(mandatory).reduce((sum, each) => sum + each, 0) - mandatory.not_applicable,
})

/** Returns the plan, the protection of the receiver, and the judged record, as far as there are any. */
export const basisTexts = (certification: Certification): readonly string[] =>
  [planText(certification), protectionText(certification), recordText(certification)].filter(
    (each) => each !== undefined,
  )

/** Returns which part of the record a passive certification judged. */
export function recordText({ record }: Certification): string | undefined {
  if (!record) return undefined
  const { evaluated, excluded, discarded } = record
  const amounts = ({ requests, transactions, callbacks }: Amounts) =>
    Object.entries({ request: requests, transaction: transactions, callback: callbacks })
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${count} ${name}${count === 1 ? '' : 's'}`)
      .join(', ')
  return [
    `Judged: ${amounts(evaluated) || 'nothing'}.`,
    amounts(excluded) && `Excluded because the shop did not cause them: ${amounts(excluded)}.`,
    discarded > 0 && `Earlier requests that are no longer in the log: ${discarded}.`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** Returns the parts of the service that the shop met, such as `3 of 16 operations, 4 of 4 statuses`. */
export const coverageText = ({ coverage }: Certification): string =>
  `Coverage: ${Object.entries(coverage as Readonly<Record<string, Met>>)
    .map(([kind, { met, missing }]) => `${met.length} of ${met.length + missing.length} ${kind}`)
    .join(', ')}.`

const protectionText = ({ protection = [] }: Certification): string | undefined =>
  protection.length === 0 ? undefined : `The receiver is also protected by ${protection.join(', ')}.`

function planText({ plan, expires_at, witness }: Certification): string | undefined {
  if (!plan) return undefined
  const until = expires_at === null ? '' : `, valid until ${expires_at.slice(0, 10)}`
  return `Plan ${plan.name} (${plan.title})${until}${witness ? '; the sandbox ran the checks itself' : ''}.`
}

/** Returns the signer, or undefined without a verified signature. */
export function signedText(certification: Certification, signed: CheckedSignature | undefined) {
  if (signed?.certification !== certification) return undefined
  const { key_id, from, at } = signed
  const { url } = certification.sandbox
  const who =
    from === url
      ? `Signed by the sandbox at ${url}, with its key ${key_id}.`
      : `Signed with the key ${key_id} of ${from}; according to the report, it is from the sandbox at ${url}.`
  return `${who} The signature was verified when this report was created, ${dayOf(new Date(at).toISOString())}.`
}

/** Returns the checks of each group that has any. */
export const byGroup = (checks: readonly CheckResult[]) =>
  Object.entries(groups).flatMap(([group, name]) => {
    const of = checks.filter((each) => each.group === group)
    const passed = of.filter(({ verdict }) => verdict === 'pass').length
    return of.length > 0 ? [{ group: group as Group, name, of, passed }] : []
  })

/** Returns the verdicts that any check has. */
export const verdictsOf = (certification: Certification): readonly Verdict[] =>
  (Object.keys(verdictWords) as Verdict[]).filter((verdict) => countOf(certification, verdict) > 0)

export const countOf = ({ summary }: Certification, verdict: Verdict): number =>
  summary.mandatory[verdict] + summary.recommended[verdict]

/**
 * Escapes invisible and bidirectional characters, such as `\u202e`. Line breaks and tabs stay.
 */
export const visible = (text: string): string =>
  text.replace(/[^\P{C}\n\t]/gu, (character) => {
    if (character === '\r') return ''
    const code = character.codePointAt(0)!.toString(16)
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
  })

export const oneLine = (text: string): string => visible(text).replace(/\s+/g, ' ').trim()

/** Returns the address of a guide in the sandbox, or null if the sandbox has no address. */
export const guideOf = ({ sandbox }: Certification, docs: string): string | null => {
  const [name = '', heading] = docs.split('#')
  if (!/^https?:/.test(sandbox.url) || !isUrl(sandbox.url)) return null
  const guide = new URL(sandbox.url)
  guide.pathname = `${guide.pathname.replace(/\/$/, '')}/docs/guides/${name.replace(/\.md$/, '')}`
  guide.search = ''
  guide.hash = heading ?? ''
  // Escapes characters that could end a link in Markdown.
  return guide.href.replace(/[()<>[\]|*`'"\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
}

export const escaped = (text: string): string => escapedMarkup(visible(text))

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** Such as `13 June 2026, 12:00 UTC`. */
export const dayOf = (time: string): string =>
  `${DAY.format(new Date(time))}, ${new Date(time).toISOString().slice(11, 16)} UTC`

/** Such as `4.2 s`, or `2 min 5 s`. */
export function lengthOf(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Returns the time since `began`, such as `+0.012 s`. */
export const since = (time: string, began: string): string =>
  `+${((Date.parse(time) - Date.parse(began)) / 1000).toFixed(3)} s`

/** Returns the progress of a world's clock, such as `+10m` or `+1d`. */
export function worldSince(time: string, began: string): string {
  const seconds = Math.round((Date.parse(time) - Date.parse(began)) / 1000)
  if (seconds === 0) return 'at once'
  return `${seconds < 0 ? '−' : '+'}${formatDuration(Math.abs(seconds) * 1000)}`
}
