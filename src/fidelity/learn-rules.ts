/** Learns which requests the service accepts and rejects. */
import { isRecord } from '../lib/objects.ts'
import { messageIn } from '../service/vocabulary/observed.ts'
import { type Difference, leavesOf, type Message } from './differences.ts'
import { conditionOf, patternOf } from './patterns.ts'
import type { Replayed } from './replay.ts'

export type Fields = Record<string, unknown>
export type Group = readonly [Difference, ...Difference[]]

/** A change of an overlay while it is built. */
export interface Change {
  message?: { from: string; to?: string }
  status?: number
  times?: number
  rename?: Record<string, string>
  remove?: string[]
  add?: Fields
  as?: Record<string, string>
  replace?: Record<string, { from: unknown; to: unknown }[]>
  form?: Record<string, string>
  headers?: { add?: Record<string, string>; remove?: string[] }
  seen: number
}

export interface Operation {
  responses?: Record<string, Change[]>
  accept?: { message: string; with: Fields; seen: number }[]
  reject?: { when: Fields; status: number; body: unknown; seen: number }[]
  query?: Record<string, string>
  settle_after?: { median: string; p95: string; seen: number }
  callback?: Change
}

export function learnAcceptance(replayed: Replayed, learned: Operation, group: Group): boolean {
  const [{ operation, ours, entry }] = group
  const messages = group.map((each) => messageIn((each.ours as Message).body))
  const sample = [...replayed.exchanges.values()].find(
    (each) => each.operation === operation && each.ours.status! < 400,
  )
  const sent = replayed.exchanges.get(entry)?.request.body
  const field = /^[\w.[\]]+/.exec(messageIn((ours as Message).body))?.[0]
  if (!sample || field === undefined || !isRecord(sent)) return false
  const value = new Map(leavesOf(sample.request.body)).get(field) ?? (sample.request.body as Fields)[field]
  if (value === undefined) return false
  ;(learned.accept ??= []).push({
    message: patternOf(messages),
    with: { [field]: value },
    seen: group.length,
  })
  return true
}

/** Finds the field that tells rejected requests from accepted ones. */
export function learnRejection(replayed: Replayed, learned: Operation, group: Group): boolean {
  const [{ operation, theirs }] = group
  const rejected = group.map(({ entry }) => fieldsOf(replayed, entry))
  const entries = new Set(group.map(({ entry }) => entry))
  const accepted = [...replayed.exchanges.entries()].filter(
    ([n, each]) => each.operation === operation && !entries.has(n) && each.ours.status! < 400,
  )
  const others = accepted.map(([n]) => fieldsOf(replayed, n))
  const { status, body } = theirs as Message
  const said = messageIn(body)
  const names = [...new Set([...rejected, ...others].flatMap((each) => [...each.keys()]))].filter(
    (name) => name !== 'callback_url',
  )
  // A field that the message names comes first.
  names.sort((a, b) => Number(said.includes(b)) - Number(said.includes(a)))
  const earlier = (name: string) =>
    group.every(({ entry }, n) =>
      accepted.some(
        ([other]) => other < entry && fieldsOf(replayed, other).get(name) === rejected[n]!.get(name),
      ),
    ) && rejected.every((each) => each.has(name))
  for (const name of names) {
    const [mine, their] = [rejected, others].map((each) => each.map((fields) => fields.get(name)))
    const when =
      conditionOf(mine!, their!) ?? (said.includes(name) && earlier(name) ? { repeated: true } : undefined)
    if (!when) continue
    ;(learned.reject ??= []).push({
      when: { [name]: when },
      status: status!,
      body,
      seen: group.length,
    })
    return true
  }
  const repeated = names.find((name) => /reference/.test(name) && earlier(name))
  if (repeated === undefined) return false
  ;(learned.reject ??= []).push({
    when: { [repeated]: { repeated: true } },
    status: status!,
    body,
    seen: group.length,
  })
  return true
}

function fieldsOf(replayed: Replayed, entry: number): Map<string, unknown> {
  const { body, query } = replayed.exchanges.get(entry)!.request
  return new Map([...leavesOf(body), ...Object.entries(query)])
}
