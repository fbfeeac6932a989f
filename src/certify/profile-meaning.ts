/** What of a profile makes no sense although it is well formed. */
import { didYouMean } from '../lib/text/suggest.ts'
import { unknown } from '../scenarios/words.ts'
import type { Issue } from '../lib/text/validation-messages.ts'
import { checkIds, groups } from './checks.ts'
import { namesIn } from './fill.ts'

/** What `${…}` may be, beside `env.NAME`. */
const GIVEN = [
  'order',
  'amount',
  'phone',
  'sandbox',
  'user',
  'password',
  'authorization',
  'secret',
  'callback',
]

const mapAt = (value: unknown, key: string): Record<string, unknown> => {
  const found =
    (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined) ?? {}
  return typeof found === 'object' ? (found as Record<string, unknown>) : {}
}

export function meaningOf(value: unknown): readonly Issue[] {
  const file = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const isMap = (key: string) => typeof file[key] === 'object' && file[key] !== null
  const calls = (['trigger', 'probe', 'restart', 'rotate', 'reconcile'] as const).filter(isMap)
  return [
    ...calls.flatMap((key) => oneWay(key, mapAt(file, key))),
    ...calls.flatMap((key) => strangePlaces(key, mapAt(file, key))),
    ...(isMap('probe') ? probeIssues(mapAt(file, 'probe')) : []),
    ...(isMap('reconcile') && mapAt(file, 'reconcile')['read'] === undefined
      ? [{ path: ['reconcile'], on_key: true, message: 'reconcile needs read: { differences: $.path }' }]
      : []),
    ...Object.keys(mapAt(file, 'expect'))
      .filter((id) => !(checkIds as readonly string[]).includes(id))
      .map((id) => ({ path: ['expect', id], on_key: true, message: unknownCheck(id) })),
  ]
}

/** `RCV-81 is not a check (did you mean RCV-1?)` */
export const unknownCheck = (id: string): string => {
  const names = [...checkIds, ...Object.keys(groups)]
  return `${id} is not a check${didYouMean(id.toUpperCase(), names) || '; payments-sandbox certify explain lists them'}`
}

function oneWay(key: string, call: Record<string, unknown>): readonly Issue[] {
  const ways =
    key === 'probe' || key === 'reconcile' ? ['http', 'command', 'ask'] : ['http', 'command', 'manual']
  const said = ways.filter((way) => call[way] !== undefined)
  if (said.length === 1) return []
  const known = ways.filter((way) => way !== 'ask').join(', ')
  if (said.length === 0) return [{ path: [key], on_key: true, message: `${key} needs one of ${known}` }]
  return [
    { path: [key, said[1]!], on_key: true, message: `${said.join(' and ')} exclude each other; keep one` },
  ]
}

function probeIssues({ read, means, ask }: Record<string, unknown>): readonly Issue[] {
  const issues: Issue[] = []
  if (read === undefined && ask === undefined)
    issues.push({ path: ['probe'], on_key: true, message: 'probe needs read: { state: $.path }' })
  const seen = new Map<string, string>()
  for (const [state, list] of Object.entries(typeof means === 'object' && means !== null ? means : {}))
    for (const [n, word] of (Array.isArray(list) ? list : []).entries()) {
      const before = seen.get(String(word))
      if (before !== undefined)
        issues.push({
          path: ['probe', 'means', state, n],
          message: `"${String(word)}" means ${before} already`,
        })
      seen.set(String(word), state)
    }
  return issues
}

/** Places in texts that nothing fills. What a command has is the shell’s. */
function strangePlaces(key: string, call: Record<string, unknown>): readonly Issue[] {
  const known =
    key === 'probe'
      ? ['order']
      : key === 'rotate'
        ? ['secret', 'old']
        : key === 'reconcile'
          ? ['statement']
          : key === 'restart'
            ? []
            : GIVEN
  const http = mapAt(call, 'http')
  const texts: readonly (readonly [string, unknown])[] = Object.entries(http)
  const manual = typeof call['manual'] === 'string' ? [['manual', call['manual']] as const] : []
  const issues =
    (under: readonly string[]) =>
    ([field, value]: readonly [string, unknown]) =>
      namesIn(value)
        .filter((name) => !known.includes(name) && !/^env\.\w+$/.test(name))
        .map((name) => ({
          path: [...under, field],
          message: unknown(
            `\${${name}}`,
            'filled here',
            known.map((each) => `\${${each}}`),
          ),
        }))
  return [...texts.flatMap(issues([key, 'http'])), ...manual.flatMap(issues([key]))]
}
