/** Turns differences into an overlay, and lists those that an overlay cannot express. */
import type { FidelityOverlay } from '../generated/control/types.ts'
import type { TimeSlice } from '../lib/clock/clock.ts'
import { isRecord } from '../lib/objects.ts'
import { formatDuration } from '../lib/text/duration.ts'
import { yamlOf } from '../lib/text/yaml-text.ts'
import { messageIn } from '../service/vocabulary/observed.ts'
import { type Difference, isSameForm } from './differences.ts'
import type { Recording } from './har.ts'
import { leavesOf, type Message, quantile } from './messages.ts'
import type { Draft } from './overlay.ts'
import { conditionOf, formOf, formsOfValues, patternOf, templateOf } from './patterns.ts'
import { type Exchange, replay, type Replayed, type ReplayOptions } from './replay.ts'
import { differenceText, groupsOf } from './report.ts'

type Group = readonly [Difference, ...Difference[]]
type Operation = NonNullable<Draft['operations']>[string]
type Change = NonNullable<NonNullable<Operation['responses']>[string]>[number]

/** Turns the differences of a recording into an overlay, and lists what it cannot express. */
export async function learn(
  file: string,
  recording: Recording,
  options: ReplayOptions,
  replayed?: Replayed,
): Promise<FidelityOverlay> {
  const { slice } = options
  const learned = await learnFrom(file, recording, replayed ?? (await replay(recording, options)), slice)
  // Verified: what the overlay does not reproduce is listed too.
  const again = await replay(recording, { ...options, observed: learned.overlay })
  const not_expressed = [...new Set([...learned.not_expressed, ...again.differences.map(differenceText)])]
  return { ...learned, not_expressed }
}

export async function learnFrom(
  file: string,
  { entries, sha256 }: Recording,
  replayed: Replayed,
  slice?: TimeSlice,
): Promise<FidelityOverlay> {
  const learner = new Learner(replayed)
  const groups = groupsOf(replayed.differences) as readonly Group[]
  const left = await learner.learn(groups, slice)
  const last = entries.at(-1)?.startedDateTime ?? '1970-01-01'
  const draft: Draft = {
    observed: last.slice(0, 10),
    evidence: { file: file.replace(/.*[/\\]/, ''), entries: entries.length, sha256 },
    ...learner.overlay(),
  }
  const overlay = `# Written by payments-sandbox learn. SANDBOX_OBSERVED names this file.\n${yamlOf(draft)}`
  const not_expressed = left.map(([first]) => differenceText(first))
  return { overlay, differences: groups.length - left.length, not_expressed }
}

/** Fields that may decide about a rejection. */
const MOST_FIELDS = 500
const key = (value: unknown) => JSON.stringify(value) ?? ''
const timeOf = (ms: number) => formatDuration(Math.round(ms))
const parentOf = (field: string) => field.replace(/[^.]*$/, '')

const directions: { readonly [operation: string]: 'payin' | 'payout' | undefined } = {
  createCollection: 'payin',
  createWithdrawal: 'payout',
}

class Learner {
  readonly #replayed: Replayed
  readonly #operations: Record<string, Operation> = {}
  readonly #headers = { add: {} as Record<string, string>, remove: [] as string[], seen: 0 }
  #references: Draft['references']

  constructor(replayed: Replayed) {
    this.#replayed = replayed
  }

  overlay(): Pick<Draft, 'operations' | 'callbacks' | 'references'> {
    const { retries, differences } = this.#replayed
    const longest = retries.toSorted((a, b) => b.length - a.length)[0] ?? []
    const gaps = longest.map((_, n) => retries.flatMap((each) => each[n] ?? []))
    const schedule = gaps.map((each) => timeOf(quantile(each, 0.5)))
    const callbacks = {
      ...(differences.some(({ kind }) => kind === 'retry') && {
        retries: { schedule, seen: retries.length },
      }),
      ...(this.#headers.seen > 0 && { headers: this.#headers }),
    }
    return {
      operations: this.#operations,
      ...(Object.keys(callbacks).length > 0 && { callbacks }),
      ...(this.#references && { references: this.#references }),
    }
  }

  /** Returns the groups that an overlay cannot express. */
  async learn(groups: readonly Group[], slice?: TimeSlice): Promise<readonly Group[]> {
    const known = groups.filter(([first]) => this.#isKnown(first))
    const renamed = this.#renames(known)
    const left = groups.filter(([first]) => !this.#isKnown(first))
    for (const group of known) {
      if (slice?.over) await slice.next()
      if (!renamed.has(group) && !this[group[0].kind](group)) left.push(group)
    }
    return left
  }

  /** Whether an overlay may name the field: the reader of overlays rejects fields that the description lacks. */
  #isKnown({ operation, place, field, kind }: Difference): boolean {
    if (!['missing', 'type', 'value', 'format', 'message'].includes(kind)) return true
    return field === 'error_message' || this.#replayed.description.fields(operation, place).includes(field)
  }

  #operation(name: string): Operation {
    return (this.#operations[name] ??= {})
  }

  /** The changes of responses with a status; each may be limited to a message. */
  #responses({ operation, place }: Difference): Change[] {
    return ((this.#operation(operation).responses ??= {})[place] ??= [])
  }

  /** Returns the change of all responses of a status, or of callbacks. */
  #change(first: Difference, seen: number): Change {
    let change: Change | undefined
    if (first.place === 'callback') change = this.#operation(first.operation).callback ??= { seen }
    else {
      const list = this.#responses(first)
      change = list.find(({ message }) => !message)
      if (!change) list.push((change = { seen }))
    }
    change.seen = Math.max(change.seen, seen)
    return change
  }

  /** Pairs fields that are missing with additional ones of the same value. */
  #renames(groups: readonly Group[]): ReadonlySet<Group> {
    const done = new Set<Group>()
    const fields = groups.filter(([{ field }]) => !field.startsWith('header '))
    for (const missing of fields) {
      const [{ operation, place, field, kind, entry, ours }] = missing
      const isRenamed = (group: Group) => {
        const [other] = group
        const theirs = group.find((each) => each.entry === entry)?.theirs
        const isOfPlace = other.operation === operation && other.place === place
        if (other.kind !== 'extra' || !isOfPlace || parentOf(other.field) !== parentOf(field)) return false
        if (done.has(group) || group.length !== missing.length || typeof theirs !== typeof ours) return false
        return (
          theirs === ours ||
          (typeof ours === 'string' && ours !== '' && isSameForm(String(theirs), ours, ours))
        )
      }
      const extra = kind === 'missing' && fields.find(isRenamed)
      if (!extra) continue
      const to = extra[0].field.slice(parentOf(field).length)
      ;(this.#change(missing[0], missing.length).rename ??= {})[field] = to
      done.add(missing).add(extra)
    }
    return done
  }

  status(group: Group): boolean {
    const [first] = group
    const [ours, theirs] = [first.ours, first.theirs] as [Message, Message]
    const [accepts, accepted] = [ours, theirs].map(({ status = 0 }) => status < 400)
    if (accepts !== accepted) return accepted ? this.#acceptance(group) : this.#rejection(group)
    const from = accepts ? undefined : patternOf(group.map((each) => messageIn((each.ours as Message).body)))
    const all = [...this.#replayed.exchanges.values()].filter(
      (each) => each.operation === first.operation && String(each.ours.status) === first.place,
    )
    if (accepts && all.length > group.length) return false
    const message = from !== undefined && from !== '' && { message: { from } }
    this.#responses(first).push({ ...message, status: theirs.status!, seen: group.length })
    return true
  }

  /** Learns a value with which the sandbox accepts what the service accepts. */
  #acceptance(group: Group): boolean {
    const [{ operation, ours, entry }] = group
    const sample = this.#accepted(operation)[0]?.[1].request.body
    const field = /^[\w.[\]]+/.exec(messageIn((ours as Message).body))?.[0]
    if (
      field === undefined ||
      !isRecord(sample) ||
      !isRecord(this.#replayed.exchanges.get(entry)?.request.body)
    )
      return false
    const value = new Map(leavesOf(sample)).get(field) ?? sample[field]
    if (value === undefined) return false
    const message = patternOf(group.map((each) => messageIn((each.ours as Message).body)))
    ;(this.#operation(operation).accept ??= []).push({
      message,
      with: { [field]: value },
      seen: group.length,
    })
    return true
  }

  /** Exchanges that the sandbox accepts. */
  #accepted(operation: string): readonly (readonly [entry: number, Exchange])[] {
    return [...this.#replayed.exchanges].filter(
      ([, each]) => each.operation === operation && each.ours.status! < 400,
    )
  }

  /** Finds the field that tells rejected requests from accepted ones. */
  #rejection(group: Group): boolean {
    const [{ operation, theirs }] = group
    const fieldsOf = (entry: number): ReadonlyMap<string, unknown> => {
      const { body, query } = this.#replayed.exchanges.get(entry)!.request
      return new Map([...leavesOf(body), ...Object.entries(query)])
    }
    const entries = group.map(({ entry }) => entry)
    const rejected = entries.map(fieldsOf)
    const accepted = this.#accepted(operation)
      .filter(([n]) => !entries.includes(n))
      .map(([n]) => ({ n, fields: fieldsOf(n) }))
    const { status, body } = theirs as Message
    const said = messageIn(body)
    const all = [...rejected, ...accepted.map(({ fields }) => fields)].flatMap((each) => [...each.keys()])
    const names = [...new Set(all)].filter((name) => name !== 'callback_url').slice(0, MOST_FIELDS)
    // A field that the message names comes first.
    names.sort((a, b) => Number(said.includes(b)) - Number(said.includes(a)))
    const isRepeated = (name: string) => {
      const first = new Map<unknown, number>()
      for (const { n, fields } of accepted.toReversed()) first.set(fields.get(name), n)
      return rejected.every(
        (fields, i) => fields.has(name) && (first.get(fields.get(name)) ?? Infinity) < entries[i]!,
      )
    }
    const repeated = { repeated: true as const }
    const whenOf = (name: string) => {
      const values = rejected.map((fields) => fields.get(name))
      const others = accepted.map(({ fields }) => fields.get(name))
      return conditionOf(values, others) ?? (said.includes(name) && isRepeated(name) ? repeated : undefined)
    }
    const name =
      names.find((each) => whenOf(each)) ?? names.find((each) => /reference/.test(each) && isRepeated(each))
    if (name === undefined) return false
    const when = whenOf(name) ?? repeated
    const rule = { when: { [name]: when }, status: status!, body, seen: group.length }
    ;(this.#operation(operation).reject ??= []).push(rule)
    return true
  }

  header(group: Group): boolean {
    const [first] = group
    const name = first.field.slice('header '.length)
    const { ours, theirs } = first as { ours?: string; theirs?: string }
    const same = group.every((each) => each.theirs === theirs)
    const value = theirs === undefined || same ? theirs : formOf(group.map((each) => String(each.theirs)))
    const isCallback = first.place === 'callback'
    const headers = isCallback ? this.#headers : (this.#change(first, group.length).headers ??= {})
    if (isCallback) this.#headers.seen = Math.max(this.#headers.seen, group.length)
    if (ours !== undefined) (headers.remove ??= []).push(name)
    if (value !== undefined) (headers.add ??= {})[name] = value
    return true
  }

  missing(group: Group): boolean {
    const [first] = group
    const { operation, place, field } = first
    if ((this.#replayed.seen.get(`${operation}|${place}|${field}`) ?? 0) > 0) return false
    ;(this.#change(first, group.length).remove ??= []).push(field)
    return true
  }

  extra(group: Group): boolean {
    const [first] = group
    const { field, theirs } = first
    const isSame = group.every((each) => key(each.theirs) === key(theirs))
    const source = this.#sourceOf(group)
    const isCopied = source !== undefined && (!isSame || group.length > 1 || typeof theirs === 'string')
    if (!isCopied && !isSame) return false
    ;(this.#change(first, group.length).add ??= {})[field] = isCopied ? `{${source}}` : theirs
    return true
  }

  /** Returns the field of the response or request that always has the value. */
  #sourceOf(group: Group): string | undefined {
    const [{ field, entry: first }] = group
    const at = (entry: number, side: 'ours' | 'theirs') => {
      const exchange = this.#replayed.exchanges.get(entry)
      return [...leavesOf(exchange?.[side].body), ...leavesOf(exchange?.request.body)]
    }
    const isEqual = (value: unknown, theirs: unknown) => value === theirs && value !== null && value !== ''
    const sources = group.map(
      ({ entry, theirs }) =>
        new Set(at(entry, 'theirs').flatMap(([path, value]) => (isEqual(value, theirs) ? [path] : []))),
    )
    return at(first, 'ours')
      .map(([path]) => path)
      .find((path) => path !== field && !path.includes('[]') && sources.every((each) => each.has(path)))
  }

  message(group: Group): boolean {
    const [first] = group
    const ours = group.map((each) => String(each.ours))
    const from = patternOf(ours)
    const to = templateOf(
      group.map((each) => String(each.theirs)),
      ours,
      from,
    )
    if (to === undefined) return false
    if (first.field !== 'error_message') return this.#replace(first, group.length, [{ from, to }])
    const found = this.#responses(first).find(({ message }) => message?.from === from)
    if (found) found.message!.to = to
    else this.#responses(first).push({ message: { from, to }, seen: group.length })
    return true
  }

  #replace(first: Difference, seen: number, pairs: readonly { from: unknown; to: unknown }[]): boolean {
    ;((this.#change(first, seen).replace ??= {})[first.field] ??= []).push(...pairs)
    return true
  }

  value(group: Group): boolean {
    const [first] = group
    const form = formsOfValues.find(([, holds]) => group.every(({ ours, theirs }) => holds(ours, theirs)))
    if (form) {
      ;(this.#change(first, group.length).as ??= {})[first.field] = form[0]
      return true
    }
    const pairs = new Map(group.map(({ ours, theirs }) => [key(ours), { from: ours, to: theirs }]))
    if (group.every(({ ours, theirs }) => key(pairs.get(key(ours))!.to) === key(theirs)))
      return this.#replace(first, group.length, [...pairs.values()])
    const source = this.#sourceOf(group)
    if (source === undefined) return false
    ;(this.#change(first, group.length).add ??= {})[first.field] = `{${source}}`
    return true
  }

  type = (group: Group): boolean => this.value(group)

  format(group: Group): boolean {
    const [first] = group
    const values = group.map(({ theirs }) => String(theirs))
    const isTime = /^\d{4}-\d\d-\d\dT/.test(String(first.ours))
    const isReference = /^(reference|merchant_reference|conversation_id|response\.TransactionID)$/.test(
      first.field,
    )
    const form = formOf(values)
    const isDay = isTime && values.every((each) => /^\d{4}-\d\d-\d\d$/.test(each))
    if (isDay) (this.#change(first, group.length).as ??= {})[first.field] = 'date'
    else if (form === undefined || !/^uuid$|[#@*]/.test(form)) return false
    else if (isReference) return this.#reference(form, group)
    else (this.#change(first, group.length).form ??= {})[first.field] = form
    return true
  }

  /** The service may number payments in and payments out differently. */
  #reference(form: string, { length, [0]: { operation } }: Group): boolean {
    const known = this.#references
    if (form !== 'uuid' && form.split('#').length <= 6) return false
    const direction = directions[operation]
    if (known) {
      if (known.form !== form) return false
      if (direction && known.direction !== direction) delete known.direction
    } else this.#references = { form, ...(direction && { direction }), seen: length }
    return true
  }

  /** A list of another length usually has another default size of pages. */
  length(group: Group): boolean {
    const [{ operation, entry, theirs }] = group
    const query = this.#replayed.exchanges.get(entry)?.request.query ?? {}
    const isDefault = operation.startsWith('list') && !('per' in query)
    if (!isDefault || !group.every((each) => each.theirs === theirs)) return false
    ;(this.#operation(operation).query ??= {})['per'] = String(theirs)
    return true
  }

  count(group: Group): boolean {
    const [first] = group
    if (first.ours !== 1 || !group.every(({ theirs }) => theirs === first.theirs)) return false
    this.#change(first, group.length)
    this.#operation(first.operation).callback!.times = Number(first.theirs)
    return true
  }

  delay([{ operation }]: Group): boolean {
    const times = this.#replayed.delays.get(operation)!
    const part = (fraction: number) => timeOf(quantile(times, fraction))
    this.#operation(operation).settle_after = { median: part(0.5), p95: part(0.95), seen: times.length }
    return true
  }

  /** The schedule is learned as a whole. */
  retry = (): boolean => true

  /** Descriptions are compared, not learned. */
  narrowed = (): boolean => false
  widened = this.narrowed
}
