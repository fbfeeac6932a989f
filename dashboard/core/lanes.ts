/** A transaction's story as lanes: who did what, in columns of moments rather than at scale, so that days and milliseconds fit beside one another. */
import type { Job, TimelineEvent } from '../../src/generated/control/types.ts'
import type { Tone } from './tone.ts'
import { lasting } from './durations.ts'

export interface Mark {
  readonly tone: Tone
  readonly text: string
  /** Columns, the first is 0; `to` is where what lasted ends. */
  readonly from: number
  readonly to: number
  /** Whether it lasted, and fills what it spans. */
  readonly lasts: boolean
  readonly title: string
  /** It has not happened yet. */
  readonly planned: boolean
}

export interface Lane {
  readonly name: string
  readonly marks: readonly Mark[]
}

export interface Lanes {
  /** When each column is, milliseconds since the first. */
  readonly moments: readonly number[]
  /** The first column of what is planned, where something is. */
  readonly ahead?: number
  readonly lanes: readonly Lane[]
}

/** Milliseconds between two things that happened at the same moment. */
const TOGETHER = 100

/** Planned things that are shown. */
const MOST_PLANNED = 5

/** @param planned what is owed, soonest first */
export function lanesOf(events: readonly TimelineEvent[], planned: readonly Job[] = []): Lanes {
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
  const soon = planned.filter(({ given_up }) => !given_up).slice(0, MOST_PLANNED)
  const dues = soon.map(({ due_at }) => {
    const time = Date.parse(due_at)
    if (time - last > TOGETHER || moments.length === ahead) moments.push(Math.max(0, time - begin))
    last = time
    return moments.length - 1
  })
  /** The column of the first planned thing that is meant, or the end of what happened. */
  const dueOf = (meant: (job: Job) => boolean) => {
    const n = soon.findIndex(meant)
    return n < 0 ? ahead : dues[n]!
  }
  const lanes = new Map<string, Mark[]>([
    ['Your app', []],
    ['Service', []],
    ['Ledger', []],
  ])
  const mark = (
    lane: string,
    tone: Tone,
    text: string,
    from: number,
    title: string,
    to = from,
    lasts = false,
    planned = false,
  ) => {
    const marks = lanes.get(lane) ?? []
    marks.push({ tone, text, from, to, title, lasts, planned })
    lanes.set(lane, marks)
  }
  const attempts = new Map<number, number>()
  events.forEach(({ kind, summary, callback, status: answered }, n) => {
    const column = columns[n]!
    if (kind === 'request' || kind === 'poll')
      mark(
        'Your app',
        toneOf(Number(answered ?? /: (\d{3})$/.exec(summary)?.[1] ?? 200)),
        shortly(summary),
        column,
        summary,
      )
    if (kind === 'posting') mark('Ledger', 'info', movedOf(summary), column, summary)
    if (kind === 'state') {
      const next = events.findIndex((each, m) => m > n && each.kind === 'state')
      const open = summary.startsWith('QUEUED')
      const end = next < 0 ? dueOf(({ callback: of }) => of === null) : columns[next]!
      const until = open ? end - 1 : column
      mark('Service', stateTone(summary), summary, column, summary, Math.max(column, until), open)
    }
    if (callback === null) return
    const lane = `Callback ${callback}`
    if (kind === 'callback') mark(lane, 'plain', 'owed', column, summary)
    if (kind === 'attempt') {
      const number = (attempts.get(callback) ?? 0) + 1
      attempts.set(callback, number)
      const status = answered?.toString() ?? /^answered (\d+)/.exec(summary)?.[1]
      const tone = toneOf(Number(status ?? 0))
      mark(lane, tone, `attempt ${number}`, column, summary)
      mark('Your app', tone, status ?? 'no answer', column, summary)
      const again = events.findIndex(
        (each, m) => m > n && each.kind === 'attempt' && each.callback === callback,
      )
      const due = soon.find((job) => job.callback === callback)
      if (again < 0 && due && attempts.get(callback) === attemptsOf(events, callback))
        mark(
          lane,
          'wait',
          `waits ${lasting(Math.max(0, Date.parse(due.due_at) - times[n]!))}`,
          column,
          summary,
          dueOf((job) => job === due) - 1,
          true,
        )
      if (again >= 0 && columns[again]! > column)
        mark(
          lane,
          'wait',
          `waits ${lasting(times[again]! - times[n]!)}`,
          column,
          summary,
          columns[again]! - 1,
          true,
        )
    }
  })
  soon.forEach((job, n) => {
    const column = dues[n]!
    const title = `Planned for ${job.due_at}`
    if (job.callback === null)
      mark('Service', 'wait', job.outcome || job.kind, column, title, column, false, true)
    else
      mark(
        `Callback ${job.callback}`,
        'wait',
        `attempt ${(attempts.get(job.callback) ?? 0) + 1}`,
        column,
        title,
        column,
        false,
        true,
      )
  })
  return {
    moments,
    ...(soon.length > 0 && { ahead }),
    lanes: [...lanes].map(([name, marks]) => ({ name, marks })).filter(({ marks }) => marks.length > 0),
  }
}

const stateTone = (summary: string): Tone => {
  const [state] = summary.split(/\W/)
  if (state === 'SUCCESS') return 'good'
  if (state === 'FAILED') return 'bad'
  return state === 'REVERSED' ? 'info' : 'wait'
}

/** @param status of an answer; 0 for none */
const toneOf = (status: number): Tone =>
  status === 0 || status >= 400 ? 'bad' : status >= 300 ? 'info' : 'good'

const shortly = (text: string) => (text.length > 28 ? `${text.slice(0, 27)}…` : text)

/** `+95.38` of `collection: outside:KES -100.00, team:63:wallet:KES 95.38, fees:KES 4.62`. */
function movedOf(summary: string): string {
  const own = /team:\d+:\w+:\w+ (-?[\d.]+)/.exec(summary)?.[1]
  if (own === undefined) return summary.split(':')[0]!
  return Number(own) >= 0 ? `+${own}` : own.replace('-', '−')
}

const attemptsOf = (events: readonly TimelineEvent[], callback: number) =>
  events.filter((each) => each.kind === 'attempt' && each.callback === callback).length
