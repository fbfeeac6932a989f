/**
 * A transaction's timeline in lanes. Columns are moments and not to scale, so that days and milliseconds fit.
 */
import type { Job, TimelineEvent } from '../../src/generated/control/types.ts'
import type { Tone } from './names.ts'
import { lasting } from './times.ts'

export interface Mark {
  readonly tone: Tone
  readonly text: string
  /** Columns counted from 0; `to` is the end of a span. */
  readonly from: number
  readonly to: number
  /** Whether the mark is a span. */
  readonly lasts: boolean
  readonly title: string
  /** Whether it is still planned. */
  readonly planned: boolean
}

export interface Lane {
  readonly name: string
  readonly marks: readonly Mark[]
}

export interface Lanes {
  /** Milliseconds of each column after the first. */
  readonly moments: readonly number[]
  /** The first planned column, if any. */
  readonly ahead?: number
  readonly lanes: readonly Lane[]
}

/** Milliseconds up to which events share a column. */
const TOGETHER = 100

const MOST_PLANNED = 5

interface Story {
  readonly events: readonly TimelineEvent[]
  /** The time of each event in milliseconds. */
  readonly times: readonly number[]
  readonly columns: readonly number[]
  /** Planned jobs, soonest first, and their columns. */
  readonly soon: readonly Job[]
  readonly dues: readonly number[]
  readonly moments: readonly number[]
  /** The first planned column. */
  readonly ahead: number
}

/** @param planned - pending jobs, soonest first */
export function lanesOf(events: readonly TimelineEvent[], planned: readonly Job[] = []): Lanes {
  const story = storyOf(events, planned)
  const { soon, moments, ahead } = story
  const marks = new Marks()
  for (const n of events.keys()) markEvent(marks, story, n)
  for (const n of soon.keys()) markPlanned(marks, story, n)
  return { moments, ...(soon.length > 0 && { ahead }), lanes: marks.lanes }
}

/** Assigns columns; events at the same time share one. */
function storyOf(events: readonly TimelineEvent[], planned: readonly Job[]): Story {
  const times = events.map(({ at }) => Date.parse(at))
  const begin = times[0] ?? 0
  const moments: number[] = []
  let last = -Infinity
  const columns = times.map((time) => {
    if (time - last > TOGETHER) moments.push(time - begin)
    last = time
    return moments.length - 1
  })
  const ahead = moments.length
  const soon = planned.filter(({ abandoned }) => !abandoned).slice(0, MOST_PLANNED)
  const dues = soon.map(({ due_at }) => {
    const time = Date.parse(due_at)
    if (time - last > TOGETHER || moments.length === ahead) moments.push(Math.max(0, time - begin))
    last = time
    return moments.length - 1
  })
  return { events, times, columns, soon, dues, moments, ahead }
}

/** The column of the first matching job, or the end of the past. */
function dueOf({ soon, dues, ahead }: Story, meant: (job: Job) => boolean): number {
  const n = soon.findIndex(meant)
  return n < 0 ? ahead : dues[n]!
}

/** A mark of one moment, by default. */
type NewMark = Omit<Mark, 'to' | 'lasts' | 'planned'> & Partial<Pick<Mark, 'to' | 'lasts' | 'planned'>>

/** Marks by lane. The first three lanes have a fixed order. */
class Marks {
  readonly #lanes = new Map<string, Mark[]>([
    ['Your app', []],
    ['Service', []],
    ['Ledger', []],
  ])

  add(lane: string, mark: NewMark): void {
    const marks = this.#lanes.get(lane) ?? []
    marks.push({ to: mark.from, lasts: false, planned: false, ...mark })
    this.#lanes.set(lane, marks)
  }

  /** Lanes with at least one mark. */
  get lanes(): readonly Lane[] {
    return [...this.#lanes].map(([name, marks]) => ({ name, marks })).filter(({ marks }) => marks.length > 0)
  }
}

function markEvent(marks: Marks, story: Story, n: number): void {
  const { events, columns } = story
  const { kind, summary, callback, status } = events[n]!
  const at = { from: columns[n]!, title: summary }
  if (kind === 'request' || kind === 'status_query') {
    const tone = toneOf(Number(status ?? /: (\d{3})$/.exec(summary)?.[1] ?? 200))
    marks.add('Your app', { ...at, tone, text: shortly(summary) })
  }
  if (kind === 'posting') marks.add('Ledger', { ...at, tone: 'info', text: movedOf(summary) })
  if (kind === 'state') {
    const next = events.findIndex((each, m) => m > n && each.kind === 'state')
    const lasts = summary.startsWith('QUEUED')
    const end = next < 0 ? dueOf(story, (job) => job.callback === null) : columns[next]!
    const to = Math.max(at.from, lasts ? end - 1 : at.from)
    marks.add('Service', { ...at, tone: stateTone(summary), text: summary, to, lasts })
  }
  if (callback === null) return
  const lane = `Callback ${callback}`
  if (kind === 'callback') marks.add(lane, { ...at, tone: 'plain', text: 'created' })
  if (kind !== 'attempt') return
  const answered = status?.toString() ?? /^answered (\d+)/.exec(summary)?.[1]
  const tone = toneOf(Number(answered ?? 0))
  marks.add(lane, { ...at, tone, text: `attempt ${attemptsOf(events.slice(0, n + 1), callback)}` })
  marks.add('Your app', { ...at, tone, text: answered ?? 'no response' })
  const wait = waitAfter(story, n, callback)
  if (wait)
    marks.add(lane, { ...at, tone: 'wait', text: `waits ${lasting(wait.ms)}`, to: wait.to, lasts: true })
}

/** The wait after an attempt and its last column; undefined without another attempt later. */
function waitAfter(
  story: Story,
  n: number,
  callback: number,
): { readonly ms: number; readonly to: number } | undefined {
  const { events, times, columns, soon } = story
  const again = events.findIndex((each, m) => m > n && each.kind === 'attempt' && each.callback === callback)
  if (again >= 0)
    return columns[again]! > columns[n]!
      ? { ms: times[again]! - times[n]!, to: columns[again]! - 1 }
      : undefined
  const due = soon.find((job) => job.callback === callback)
  if (!due) return undefined
  return {
    ms: Math.max(0, Date.parse(due.due_at) - times[n]!),
    to: dueOf(story, (job) => job === due) - 1,
  }
}

function markPlanned(marks: Marks, { events, soon, dues }: Story, n: number): void {
  const { due_at, callback, outcome, kind } = soon[n]!
  const at = { from: dues[n]!, title: `Planned for ${due_at}`, tone: 'wait', planned: true } as const
  if (callback === null) marks.add('Service', { ...at, text: outcome || kind })
  else marks.add(`Callback ${callback}`, { ...at, text: `attempt ${attemptsOf(events, callback) + 1}` })
}

const stateTone = (summary: string): Tone => {
  const [state] = summary.split(/\W/)
  if (state === 'SUCCESS') return 'good'
  if (state === 'FAILED') return 'bad'
  return state === 'REVERSED' ? 'info' : 'wait'
}

/** @param status - 0 if there is no response */
const toneOf = (status: number): Tone =>
  status === 0 || status >= 400 ? 'bad' : status >= 300 ? 'info' : 'good'

const shortly = (text: string) => (text.length > 28 ? `${text.slice(0, 27)}…` : text)

/** Extracts `+95.38` from `collection: outside:KES -100.00, team:63:wallet:KES 95.38, fees:KES 4.62`. */
function movedOf(summary: string): string {
  const own = /team:\d+:\w+:\w+ (-?[\d.]+)/.exec(summary)?.[1]
  if (own === undefined) return summary.split(':')[0]!
  return Number(own) >= 0 ? `+${own}` : own.replace('-', '−')
}

const attemptsOf = (events: readonly TimelineEvent[], callback: number) =>
  events.filter((each) => each.kind === 'attempt' && each.callback === callback).length

/** Positions on an axis that starts now and becomes coarser, so that seconds and weeks fit. */

export interface Tick {
  readonly words: string
  /** From 0 (now) to 100. */
  readonly at: number
}

export interface Due<Item> {
  readonly at: number
  readonly items: readonly Item[]
}

const steps = [
  ['now', 0],
  ['10 s', 10],
  ['1 min', 60],
  ['10 min', 600],
  ['1 h', 3_600],
  ['6 h', 21_600],
  ['1 d', 86_400],
  ['7 d', 604_800],
  ['30 d', 2_592_000],
  ['1 y', 31_536_000],
] as const

/** Marks closer than this are merged. */
const CLOSE = 3

/** @param left - milliseconds until the item is due; negative if overdue */
export function axisOf<Item>(items: readonly Item[], left: (item: Item) => number) {
  const longest = Math.max(10, ...items.map((item) => left(item) / 1_000))
  const end = steps.find(([, seconds]) => seconds >= longest)?.[1] ?? longest
  const place = (seconds: number) => (100 * Math.log1p(Math.max(0, seconds))) / Math.log1p(end)
  const ticks = steps
    .filter(([, seconds]) => seconds <= end)
    .map(([words, seconds]): Tick => ({ words, at: place(seconds) }))
  const dues: { at: number; items: Item[] }[] = []
  for (const item of items.toSorted((one, other) => left(one) - left(other))) {
    const at = place(left(item) / 1_000)
    const last = dues.at(-1)
    if (last && at - last.at < CLOSE) last.items.push(item)
    else dues.push({ at, items: [item] })
  }
  return { ticks, dues: dues as readonly Due<Item>[] }
}
