/** Turns differences into an overlay, and lists those that an overlay cannot express. */
import { isRecord } from '../lib/objects.ts'
import { formatDuration } from '../lib/text/duration.ts'
import { yamlOf } from '../lib/text/yaml-text.ts'
import { messageIn } from '../service/vocabulary/observed.ts'
import { type Difference, isSameForm, leavesOf, type Message } from './differences.ts'
import type { Recording } from './har.ts'
import { quantile, type Replayed } from './replay.ts'
import { type Change, type Group, learnAcceptance, learnRejection, type Operation } from './learn-rules.ts'
import { formOf, patternOf, templateOf } from './patterns.ts'
import { type Finding, groupsOf } from './report.ts'

export interface Learned {
  /** YAML. */
  readonly overlay: string
  /** The number of differences. */
  readonly count: number
  /** Differences that an overlay cannot express. */
  readonly left: readonly string[]
}

export function learn(file: string, recording: Recording, replayed: Replayed): Learned {
  const learner = new Learner(replayed)
  const groups = groupsOf(replayed.differences) as readonly Group[]
  learner.learn(groups)
  const last = recording.entries.at(-1)?.startedDateTime ?? '1970-01-01'
  const overlay = yamlOf({
    observed: last.slice(0, 10),
    evidence: {
      file: file.replace(/.*[/\\]/, ''),
      entries: recording.entries.length,
      sha256: recording.sha256,
    },
    ...learner.overlay(),
  })
  return {
    overlay: `# Written by payments-sandbox learn. SANDBOX_OBSERVED names this file.\n${overlay}`,
    count: groups.length,
    left: learner.left,
  }
}

/** Returns what an overlay leaves: what it cannot express, and what it does not reproduce. */
export const unexpressed = (left: readonly string[], rest: readonly Finding[]): readonly string[] => [
  ...left,
  ...rest.map(
    ({ operation, place, field, kind, sandbox, service }) =>
      `${operation} ${place} ${field} (${kind}): sandbox ${sandbox ?? 'nothing'}, service ${service ?? 'nothing'}`,
  ),
]

const text = (value: unknown) => (value === undefined ? 'nothing' : (JSON.stringify(value) ?? 'nothing'))

class Learner {
  readonly left: string[] = []
  readonly #replayed: Replayed
  readonly #operations: Record<string, Operation> = {}
  readonly #callbackHeaders = { add: {} as Record<string, string>, remove: [] as string[], seen: 0 }
  #references: { form: string; seen: number } | undefined

  constructor(replayed: Replayed) {
    this.#replayed = replayed
  }

  overlay(): object {
    const { retries } = this.#replayed
    const changed = this.#replayed.differences.some(({ kind }) => kind === 'retry')
    const longest = Math.max(0, ...retries.map(({ length }) => length))
    const schedule = Array.from({ length: longest }, (_, n) =>
      durationOf(
        quantile(
          retries.flatMap((gaps) => gaps[n] ?? []),
          0.5,
        ),
      ),
    )
    const { add, remove, seen } = this.#callbackHeaders
    return {
      operations: this.#operations,
      callbacks: {
        ...(changed && { retries: { schedule, seen: retries.length } }),
        ...(seen > 0 && { headers: { add, remove, seen } }),
      },
      ...(this.#references && { references: this.#references }),
    }
  }

  learn(groups: readonly Group[]): void {
    const renamed = this.#renames(groups)
    for (const group of groups) if (!renamed.has(group) && !this.#group(group)) this.#leave(group)
  }

  #leave([{ operation, place, field, kind, ours, theirs }]: Group): void {
    if (kind === 'retry') return
    const shown = (value: unknown) =>
      isMessage(value) ? `${value.status} ${messageIn(value.body)}` : text(value)
    this.left.push(
      `${operation} ${place} ${field} (${kind}): sandbox ${shown(ours)}, service ${shown(theirs)}`,
    )
  }

  #operation(name: string): Operation {
    return (this.#operations[name] ??= {})
  }

  /** Returns the change of all responses of a status, or of callbacks. */
  #change({ operation, place }: Difference, seen: number): Change {
    const found = this.#operation(operation)
    if (place === 'callback') {
      const change = (found.callback ??= { seen })
      change.seen = Math.max(change.seen, seen)
      return change
    }
    const list = ((found.responses ??= {})[place] ??= [])
    let change = list.find(({ message }) => !message)
    if (!change) list.push((change = { seen }))
    change.seen = Math.max(change.seen, seen)
    return change
  }

  /** Pairs fields that are missing with additional ones of the same value. */
  #renames(groups: readonly Group[]): ReadonlySet<Group> {
    const done = new Set<Group>()
    const of = (kind: string) =>
      groups.filter(([{ kind: each, field }]) => each === kind && !field.startsWith('header '))
    for (const missing of of('missing')) {
      const [{ operation, place, field, entry, ours }] = missing
      const parent = field.replace(/[^.]*$/, '')
      const extra = of('extra').find((each) => {
        const [other] = each
        if (
          done.has(each) ||
          other.operation !== operation ||
          other.place !== place ||
          each.length !== missing.length
        )
          return false
        if (other.field.replace(/[^.]*$/, '') !== parent) return false
        const theirs = each.find((one) => one.entry === entry)?.theirs
        return (
          typeof theirs === typeof ours &&
          (theirs === ours ||
            (typeof ours === 'string' && ours !== '' && isSameForm(theirs as string, ours, ours)))
        )
      })
      if (!extra) continue
      const to = extra[0].field.slice(parent.length)
      ;(this.#change(missing[0], missing.length).rename ??= {})[field] = to
      done.add(missing).add(extra)
    }
    return done
  }

  #group(group: Group): boolean {
    const [first] = group
    const { kind, field } = first
    switch (kind) {
      case 'status':
        return this.#status(group)
      case 'header':
        return this.#header(group)
      case 'missing':
        return (
          this.#always(group, 'missing') &&
          Boolean((this.#change(first, group.length).remove ??= []).push(field))
        )
      case 'extra':
        return this.#extra(group)
      case 'message':
        return this.#message(group)
      case 'type':
      case 'value':
        return this.#value(group)
      case 'format':
        return this.#format(group)
      case 'length':
        return this.#length(group)
      case 'count':
        return this.#count(group)
      case 'delay':
        return this.#delay(first)
      case 'retry':
        return true
    }
  }

  /** Whether a difference occurs at every observation of its field. */
  #always([{ operation, place, field }, ...others]: Group, kind: 'missing' | 'other'): boolean {
    const seen = this.#replayed.seen.get(`${operation}|${place}|${field}`) ?? 0
    return kind === 'missing' ? seen === 0 : others.length + 1 >= seen
  }

  #status(group: Group): boolean {
    const [first] = group
    const [ours, theirs] = [first.ours, first.theirs] as [Message, Message]
    const found = this.#operation(first.operation)
    const isOk = (status = 0) => status < 400
    if (isOk(ours.status) === isOk(theirs.status)) {
      const list = ((found.responses ??= {})[first.place] ??= [])
      const from = isOk(ours.status)
        ? undefined
        : patternOf(group.map((each) => messageIn((each.ours as Message).body)))
      const all = [...this.#replayed.exchanges.values()].filter(
        (each) => each.operation === first.operation && String(each.ours.status) === first.place,
      )
      if (isOk(ours.status) && all.length > group.length) return false
      list.push({ ...(from && { message: { from } }), status: theirs.status!, seen: group.length })
      return true
    }
    return isOk(theirs.status)
      ? learnAcceptance(this.#replayed, found, group)
      : learnRejection(this.#replayed, found, group)
  }

  #header(group: Group): boolean {
    const [first] = group
    const name = first.field.slice('header '.length)
    const { ours, theirs } = first as { ours?: string; theirs?: string }
    const same = group.every((each) => each.theirs === theirs)
    const value = theirs === undefined || same ? theirs : formOf(group.map((each) => String(each.theirs)))
    if (first.place === 'callback') {
      const headers = this.#callbackHeaders
      headers.seen = Math.max(headers.seen, group.length)
      if (ours !== undefined) headers.remove.push(name)
      if (value !== undefined) headers.add[name] = value
      return true
    }
    const headers = (this.#change(first, group.length).headers ??= {})
    if (ours !== undefined) (headers.remove ??= []).push(name)
    if (value !== undefined) (headers.add ??= {})[name] = value
    return true
  }

  #extra(group: Group): boolean {
    const [first] = group
    const values = group.map(({ theirs }) => theirs)
    const add = (value: unknown) => {
      ;(this.#change(first, group.length).add ??= {})[first.field] = value
      return true
    }
    const isSame = values.every((each) => text(each) === text(values[0]))
    const source = this.#sourceOf(group)
    if (source !== undefined && (!isSame || group.length > 1 || typeof values[0] === 'string'))
      return add(`{${source}}`)
    if (isSame) return add(values[0])
    return false
  }

  /** Returns the field of the response or request that always has the value. */
  #sourceOf(group: Group): string | undefined {
    const sources = group.map(({ entry, theirs }) => {
      const exchange = this.#replayed.exchanges.get(entry)
      const fields = [...leavesOf(exchange?.theirs.body), ...leavesOf(exchange?.request.body)]
      return new Set(
        fields
          .filter(
            ([path, value]) =>
              value === theirs &&
              value !== null &&
              value !== '' &&
              path !== group[0].field &&
              !path.includes('[]'),
          )
          .map(([path]) => path),
      )
    })
    const ours = new Set(
      [
        ...leavesOf(this.#replayed.exchanges.get(group[0].entry)?.ours.body),
        ...leavesOf(this.#replayed.exchanges.get(group[0].entry)?.request.body),
      ].map(([path]) => path),
    )
    return [...(sources[0] ?? [])].find((path) => ours.has(path) && sources.every((each) => each.has(path)))
  }

  #message(group: Group): boolean {
    const [first] = group
    const ours = group.map((each) => String(each.ours))
    const theirs = group.map((each) => String(each.theirs))
    const from = patternOf(ours)
    const to = templateOf(theirs, ours, from)
    if (to === undefined) return false
    if (first.field === 'error_message') {
      const list = ((this.#operation(first.operation).responses ??= {})[first.place] ??= [])
      const found = list.find(({ message }) => message?.from === from)
      if (found) found.message!.to = to
      else list.push({ message: { from, to }, seen: group.length })
      return true
    }
    const replace = ((this.#change(first, group.length).replace ??= {})[first.field] ??= [])
    replace.push({ from, to })
    return true
  }

  #value(group: Group): boolean {
    const [first] = group
    const { field } = first
    const change = this.#change(first, group.length)
    const form = formsOfValues.find(([, holds]) => group.every(({ ours, theirs }) => holds(ours, theirs)))
    if (form) {
      ;(change.as ??= {})[field] = form[0]
      return true
    }
    const pairs = new Map(group.map(({ ours, theirs }) => [text(ours), { from: ours, to: theirs }]))
    if (group.every(({ ours, theirs }) => text(pairs.get(text(ours))!.to) === text(theirs))) {
      const list = ((change.replace ??= {})[field] ??= [])
      list.push(...pairs.values())
      return true
    }
    const source = this.#sourceOf(group)
    if (source === undefined) return false
    ;(change.add ??= {})[field] = `{${source}}`
    return true
  }

  #format(group: Group): boolean {
    const [first] = group
    const { field } = first
    const values = group.map(({ theirs }) => String(theirs))
    const isTime = (value: unknown) => /^\d{4}-\d\d-\d\dT/.test(String(value))
    if (isTime(first.ours) && values.every((each) => /^\d{4}-\d\d-\d\d$/.test(each))) {
      ;(this.#change(first, group.length).as ??= {})[field] = 'date'
      return true
    }
    const form = formOf(values)
    if (form === undefined) return false
    const isReference = /^(reference|merchant_reference|conversation_id|response\.TransactionID)$/.test(field)
    if (isReference && form.split('#').length > 6) {
      this.#references ??= { form, seen: group.length }
      return true
    }
    if (isReference) return false
    ;(this.#change(first, group.length).form ??= {})[field] = form
    return true
  }

  /** A list of another length usually has another default size of pages. */
  #length(group: Group): boolean {
    const [{ operation, entry, theirs }] = group
    const query = this.#replayed.exchanges.get(entry)?.request.query ?? {}
    if (!operation.startsWith('list') || 'per' in query || !group.every((each) => each.theirs === theirs))
      return false
    ;(this.#operation(operation).query ??= {})['per'] = String(theirs)
    return true
  }

  #count(group: Group): boolean {
    const [first] = group
    if (first.ours !== 1 || !group.every(({ theirs }) => theirs === first.theirs)) return false
    this.#change(first, group.length).times = Number(first.theirs)
    return true
  }

  #delay({ operation }: Difference): boolean {
    const times = this.#replayed.delays.get(operation)!
    const part = (fraction: number) => durationOf(quantile(times, fraction))
    this.#operation(operation).settle_after = { median: part(0.5), p95: part(0.95), seen: times.length }
    return true
  }
}

type Holds = (ours: unknown, theirs: unknown) => boolean
const formsOfValues: readonly (readonly [form: string, holds: Holds])[] = [
  [
    'text',
    (ours, theirs) => typeof theirs === 'string' && typeof ours === 'number' && Number(theirs) === ours,
  ],
  [
    'number',
    (ours, theirs) => typeof theirs === 'number' && typeof ours === 'string' && Number(ours) === theirs,
  ],
  ['minor', (ours, theirs) => typeof ours === 'number' && ours !== 0 && theirs === Math.round(ours * 100)],
  ['whole', (ours, theirs) => typeof ours === 'number' && theirs === Math.round(ours)],
  ['upper', (ours, theirs) => typeof ours === 'string' && theirs === ours.toUpperCase()],
  ['lower', (ours, theirs) => typeof ours === 'string' && theirs === ours.toLowerCase()],
  [
    'epoch',
    (ours, theirs) =>
      typeof ours === 'string' &&
      !Number.isNaN(Date.parse(ours)) &&
      typeof theirs === 'number' &&
      theirs > 1e9,
  ],
]

const isMessage = (value: unknown): value is Message => isRecord(value) && value['headers'] instanceof Map
const durationOf = (ms: number) => formatDuration(Math.round(ms))
