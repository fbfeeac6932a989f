import { checkIds, groups, isCheckId } from '../certify/check-ids.ts'
import { type Check, checkOf } from '../certify/checks.ts'
import { unknownCheck } from '../certify/profile-schema.ts'
import { exitCodes } from './exit-codes.ts'
import { painter } from './paint.ts'
import type { Process } from './process.ts'

/** Tells of one check, or lists those of a group, or all. @returns the exit code */
export function explainCheck({ out, err }: Process, named = '', json = false): number {
  const id = named.toUpperCase()
  const paint = painter(out.colours)
  const lineOf = (check: Check) => `${JSON.stringify({ kind: 'check', ...check })}\n`
  if (isCheckId(id)) {
    out.write(json ? lineOf(checkOf(id)) : textOf(checkOf(id), paint))
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

function textOf(check: Check, paint: ReturnType<typeof painter>): string {
  const { id, title, level, how, probe, feature, tried, expected, why, mend, docs } = check
  const needs = [
    how === 'record' ? 'judged from the record alone' : 'made to happen',
    ...(probe ? ['needs the probe'] : []),
    ...(feature === undefined ? [] : [`for shops with the feature ${feature}`]),
  ]
  const parts = [
    ['Tried', tried],
    ['Expected', expected],
    ['Why', why],
    ['To mend it', mend],
    ['More', `docs/${docs}`],
  ] as const
  const lines = parts.map(([name, text]) => `${paint('bold', name)}\n  ${text}\n`)
  return `${paint('bold', `${id}  ${title}`)}\n  ${level}, ${needs.join(', ')}\n\n${lines.join('\n')}`
}
