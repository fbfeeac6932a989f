/** What changed between two certifications of a shop. */
import type { Certification, CheckResult, Coverage, Verdict } from '../certification.ts'
import { standings } from '../certification.ts'
import { bySeverity } from '../check-ids.ts'

/**
 * The kinds of changes in the order of reports. `worse`: it passed, or did not fail, before. `redefined`: the meaning of the check
 * changed, so that verdicts differ for it.
 */
export const kindWords = {
  worse: 'Worse',
  redefined: 'Redefined',
  added: 'New',
  removed: 'Removed',
  better: 'Better',
} as const
type Kind = keyof typeof kindWords
const KINDS = Object.keys(kindWords)

export type Difference = ReturnType<typeof differenceOf>

/** From best to worst. A verdict that proves less is worse. */
const ORDER: readonly Verdict[] = ['pass', 'not_applicable', 'waived', 'not_seen', 'inconclusive', 'fail']

export function differenceOf(before: Certification, after: Certification) {
  const old = new Map(before.checks.map((check) => [check.id, check]))
  const current = new Map(after.checks.map((check) => [check.id, check]))
  const changes = [...new Set([...current.keys(), ...old.keys()])].flatMap((id) =>
    changeOf(old.get(id), current.get(id)),
  )
  const standing = { before: before.summary.standing, after: after.summary.standing }
  const met = ({ coverage }: Certification) =>
    Object.entries(coverage as Coverage).flatMap(([kind, { met }]) => met.map((each) => `${kind} ${each}`))
  const [was, is] = [met(before), met(after)]
  return {
    subject: after.subject,
    standing,
    score: { before: before.summary.score, after: after.summary.score },
    /** Whether a mandatory check is worse, or the standing is. */
    worse:
      standings.indexOf(standing.after) > standings.indexOf(standing.before) ||
      changes.some(({ kind, level }) => kind === 'worse' && level === 'mandatory'),
    /** The most severe first. */
    changes: changes.toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || bySeverity(a, b)),
    /** The number of checks with the same verdict. */
    same: current.size - changes.filter(({ after }) => after !== null).length,
    /** Parts of the service that the shop met only before, and only after. */
    coverage: {
      lost: was.filter((each) => !is.includes(each)),
      gained: is.filter((each) => !was.includes(each)),
    },
  }
}

const sideOf = (check: CheckResult | undefined) =>
  check ? { verdict: check.verdict, level: check.level, version: check.version } : null

function changeOf(before: CheckResult | undefined, after: CheckResult | undefined) {
  const { id, title, level, observed, fix } = (after ?? before)!
  const change = (kind: Kind) => [
    { id, title, level, kind, before: sideOf(before), after: sideOf(after), observed, fix },
  ]
  if (!before) return change('added')
  if (!after) return change('removed')
  if (before.verdict === after.verdict && before.level === after.level) return []
  if (before.version !== after.version) return change('redefined')
  const step = ORDER.indexOf(after.verdict) - ORDER.indexOf(before.verdict)
  return change(step > 0 || (step === 0 && after.level === 'mandatory') ? 'worse' : 'better')
}
