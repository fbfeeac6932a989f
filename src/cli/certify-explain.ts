import { checkIds, groups, isCheckId } from '../certify/check-ids.ts'
import { type Check, checkOf, checks } from '../certify/checks.ts'
import { unknownCheck } from '../certify/read-profile.ts'
import { exitCodes, painter } from './output.ts'
import type { Process } from './process.ts'

/** Describes one check, or lists the checks of a group, or all. @returns The exit code. */
export function explainCheck({ out, err }: Process, named = '', json = false): number {
  const id = named.toUpperCase()
  const paint = painter(out.colours)
  const lineOf = (check: Check) => `${JSON.stringify({ kind: 'check', ...check })}\n`
  if (isCheckId(id)) {
    out.write(json ? lineOf(checkOf(id)) : checkText(checkOf(id), paint))
    return exitCodes.done
  }
  const listed = Object.entries(groups).filter(([group]) => named === '' || group === id)
  if (listed.length === 0) {
    err.write(`${unknownCheck(named)}\n`)
    return exitCodes.usage
  }
  for (const [group, name] of listed) {
    const of = checkIds.map(checkOf).filter((each) => each.group === group)
    const lines = of.map((each) => (json ? lineOf(each) : `  ${each.id.padEnd(6)} ${each.title}\n`))
    out.write(`${json ? '' : `${paint('bold', name)}\n`}${lines.join('')}`)
  }
  return exitCodes.done
}

function checkText(check: Check, paint: ReturnType<typeof painter>): string {
  const { id, title, level, mode, probe, feature, tried, expected, impact, fix, docs } = check
  const needs = [
    mode === 'passive' ? 'judged from the request log' : 'triggered by certify',
    ...(probe ? ['needs the probe'] : []),
    ...(feature === undefined ? [] : [`for shops with the feature ${feature}`]),
  ]
  const parts = [
    ['Tried', tried],
    ['Expected', expected],
    ['Why', impact],
    ['Fix', fix],
    ...Object.entries(checks[id].mend ?? {}),
    ['More', `docs/${docs}`],
  ] as const
  const lines = parts.map(([name, text]) => `${paint('bold', name)}\n  ${text}\n`)
  return `${paint('bold', `${id}  ${title}`)}\n  ${level}, ${needs.join(', ')}\n\n${lines.join('\n')}`
}
