/** Groups failing callbacks and rejected requests by their cause. */
import { createHash } from 'node:crypto'
import { MOST_LOOKED_AT, pageOf } from './page.ts'
import type { CallbackGroup, RequestGroup } from '../generated/control/types.ts'
import { redactLoose, redactText } from '../lib/log/redact.ts'
import { parsedJson } from '../lib/text/parsed-json.ts'
import type { Look } from '../service/domain/context.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { AttemptRow, CallbackRow } from '../storage/store/payment-rows.ts'
import { answerOf, type JournalEntry, pathOf } from '../worlds/request-log.ts'
import type { World } from '../worlds/world.ts'

/** Maximum number of groups in a response. */
const MOST_GROUPS = 20

type Changing<Group> = { -readonly [Key in keyof Group]: Group[Key] }

/** Groups the failing callbacks of a world. */
export async function failingCallbacks(world: World, look: Look) {
  const groups = new Map<string, Changing<CallbackGroup>>()
  let total = 0
  const add = (row: CallbackRow) => {
    const failure = failureOf(look, row)
    if (!failure) return false
    total++
    const { id, last } = failure
    const at = exactTime(last.at)
    const since = exactTime(look.rows.find('attempts', 'callback', row.id)[0]!.at)
    const group = groups.get(id)
    const pending = row.state === 'pending' ? 1 : 0
    if (!group)
      groups.set(id, {
        id,
        url: row.url,
        status: last.status,
        cause: causeOf(last),
        advice: last.advice,
        count: 1,
        pending,
        since,
        last_at: at,
        newest: row.id,
      })
    else {
      group.count++
      group.pending += pending
      if (since < group.since) group.since = since
      if (at > group.last_at) group.last_at = at
    }
    return false
  }
  await pageOf(look, world.name, 'callbacks', { most: MOST_LOOKED_AT }, add)
  return { total, groups: latest(groups) }
}

/** Returns the last attempt of a failing callback and its group, or undefined if it is not failing. */
function failureOf(look: Look, row: CallbackRow) {
  if (row.state === 'delivered') return undefined
  const last = look.rows.find('attempts', 'callback', row.id).at(-1)
  return last && { last, id: groupId(row.url, last.status, shapeOf(causeOf(last))) }
}

/** Returns a test for the failing callbacks of a group. */
export const inCallbackGroup = (look: Look, group: string) => (row: CallbackRow) =>
  failureOf(look, row)?.id === group

/** Maximum number of characters that are read of a response to find the cause, and that a cause may have. */
const READ = 2_000
const LONGEST = 200

/** Returns the receiver's own words for a failed attempt; empty if it had none. */
function causeOf({
  status,
  error,
  answer_body,
}: Pick<AttemptRow, 'status' | 'error' | 'answer_body'>): string {
  if (status === null) return error.slice(0, LONGEST)
  const body = answer_body.slice(0, READ)
  const text = wordsIn(parsedJson(body)) ?? withoutMarkup(body)
  const line = text.split('\n', 20).find((each) => each.trim() !== '') ?? ''
  return redactLoose(line.trim()).slice(0, LONGEST)
}

const NAMES = ['error_message', 'message', 'error', 'detail', 'title'] as const

function wordsIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const name of NAMES) {
    const inner = (value as Record<string, unknown>)[name]
    if (typeof inner === 'string' && inner !== '') return inner
    const found = wordsIn(inner)
    if (found !== undefined) return found
  }
  return undefined
}

/** Frameworks answer errors with a page, whose `pre`, `h1` or `title` names the error. */
function withoutMarkup(body: string): string {
  if (!body.includes('<')) return body
  const [, inner] = /<(?:pre|h1|title)>([^<]*)/.exec(body) ?? []
  return (inner ?? body.replace(/<[^<>]*>/g, ' '))
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

/** Causes that differ only in identifiers and numbers share a group. */
const shapeOf = (cause: string): string =>
  cause.replace(/[\w-]+/g, (word) => (/\d/.test(word) ? '#' : word.toLowerCase()))

const groupId = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)

const latest = <Group extends { readonly last_at: string }>(groups: ReadonlyMap<string, Group>): Group[] =>
  [...groups.values()].toSorted((a, b) => (a.last_at < b.last_at ? 1 : -1)).slice(0, MOST_GROUPS)

/** Groups rejected requests, newest first. */
export class RejectedRequests {
  readonly #groups = new Map<string, Changing<RequestGroup>>()
  total = 0

  /** Adds a request that is older than those added before. @returns whether it was rejected */
  add(entry: JournalEntry): boolean {
    const rejection = rejectionOf(entry)
    if (!rejection) return false
    this.total++
    const at = exactTime(entry.at)
    const group = this.#groups.get(rejection.id)
    if (!group)
      this.#groups.set(rejection.id, { ...rejection, count: 1, since: at, last_at: at, newest: entry.id })
    else {
      group.count++
      if (at < group.since) group.since = at
    }
    return true
  }

  get groups(): RequestGroup[] {
    return latest(this.#groups)
  }
}

/** Returns the group of a rejected request, or undefined if it was not rejected. */
function rejectionOf(entry: JournalEntry) {
  const { operation, method, status } = entry
  if (status < 400) return undefined
  const answer = answerOf(entry) as { readonly error_message?: unknown } | undefined
  const cause = typeof answer?.error_message === 'string' ? answer.error_message.slice(0, LONGEST) : ''
  const path = redactText(pathOf(entry.url).split('?', 1)[0]!).slice(0, LONGEST)
  const id = groupId(method, operation || path, status, shapeOf(cause))
  return { id, operation: operation || null, method, path, status, cause }
}

/** Whether a request is a rejected one of a group. */
export const inRequestGroup = (entry: JournalEntry, group: string): boolean =>
  rejectionOf(entry)?.id === group
