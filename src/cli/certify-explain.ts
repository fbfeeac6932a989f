import { type Check, checkIds, checkOf, groups, isCheckId } from '../certify/checks.ts'
import { unknownCheck } from '../certify/profile-meaning.ts'
import { exitCodes } from './exit-codes.ts'
import { painter } from './paint.ts'
import type { Process } from './process.ts'

/** Tells of one check, or lists all. @returns the exit code */
export function explainCheck({ out, err }: Process, named: string | undefined, json = false): number {
  const lineOf = (check: Check) => `${JSON.stringify({ kind: 'check', ...check })}\n`
  if (named === undefined && json) {
    out.write(checkIds.map((id) => lineOf(checkOf(id))).join(''))
    return exitCodes.done
  }
  if (named === undefined) {
    for (const [group, name] of Object.entries(groups)) {
      const of = checkIds.map(checkOf).filter((each) => each.group === group)
      out.write(
        `${painter(out.colours)('bold', name)}\n${of.map(({ id, title }) => `  ${id.padEnd(6)} ${title}\n`).join('')}`,
      )
    }
    return exitCodes.done
  }
  const id = named.toUpperCase()
  if (!isCheckId(id)) {
    err.write(`${unknownCheck(named)}\n`)
    return exitCodes.usage
  }
  out.write(json ? lineOf(checkOf(id)) : textOf(checkOf(id), painter(out.colours)))
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
