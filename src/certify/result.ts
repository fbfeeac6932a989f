/** A check's result, as reports have it. */
import type { CheckResult } from './certification.ts'
import { type CheckId, checkOf } from './checks.ts'
import { curlOf } from './exchange.ts'
import type { Story } from './notes.ts'
import type { Profile } from './profile.ts'
import type { Finding } from './tries/try.ts'

/** Nothing was done. */
export const untold = (): Story => ({ steps: [], exchanges: [], timeline: [], curl: null, duration_ms: 0 })

/** Exchanges that are kept of a check, and moments. */
const MOST_EXCHANGES = 12
const MOST_MOMENTS = 60

/** @param profile undefined of a passive one */
export function resultOf(
  id: CheckId,
  found: Finding | 'not_applicable',
  story: Story,
  profile: Profile | undefined,
): CheckResult {
  const { title, level, how, probe, tried, expected, why, mend, docs, group } = checkOf(id)
  const expectation = profile?.expect[id] ?? null
  const finding = found === 'not_applicable' ? undefined : found
  const decided = finding?.decided ?? []
  const exchanges = [...decided, ...story.exchanges.filter((each) => !decided.includes(each))].slice(
    0,
    MOST_EXCHANGES,
  )
  const callback = decided.find(({ kind }) => kind === 'callback' || kind === 'direct')
  return {
    id,
    group,
    title,
    level,
    how,
    probe,
    tried,
    expected,
    why,
    mend,
    docs,
    ...verdictOf(found, expectation),
    expectation,
    steps: story.steps,
    exchanges,
    timeline: story.timeline.slice(0, MOST_MOMENTS),
    curl: callback ? curlOf(callback) : story.curl,
    duration_ms: story.duration_ms,
  }
}

/** Red when what was said to fail passes: what is said of the shop has to be mended then. */
function verdictOf(
  found: Finding | 'not_applicable',
  expectation: CheckResult['expectation'],
): Pick<CheckResult, 'verdict' | 'seen'> {
  if (found === 'not_applicable')
    return { verdict: 'not_applicable', seen: 'The profile does not have the feature.' }
  const { verdict, seen } = found
  if (!expectation) return { verdict, seen }
  if (verdict === 'fail')
    return { verdict: 'expected_fail', seen: `${seen} Expected: ${expectation.because}` }
  if (verdict !== 'pass') return { verdict, seen }
  return {
    verdict: 'fail',
    seen: `It passes, and the profile says that it fails: take it out of expect. ${seen}`,
  }
}
