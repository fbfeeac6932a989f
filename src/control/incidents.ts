import { handlers, ok } from './page.ts'
import { shippedIncidents } from '../generated/incidents.ts'
import type { Incident } from '../generated/control/types.ts'
import { formatDuration } from '../lib/text/duration.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import {
  checkIncident,
  entriesOf,
  type IncidentFile,
  type RunningIncident,
  type TimedEntry,
} from '../scenarios/incident.ts'
import {
  isOver,
  nextChange,
  obstacleTo,
  startIncident,
  stepIncident,
  stopIncident,
} from '../scenarios/incidents.ts'
import { scenarioName } from '../scenarios/read.ts'
import { libraryIn, SCENARIO_STATE, scenarioBytes, stateIn } from '../scenarios/library.ts'
import type { Look, Tx } from '../service/domain/context.ts'
import { invalid, noneLeft, notFound, ServiceError } from '../service/domain/errors.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import type { World } from '../worlds/world.ts'

const shipped = shippedIncidents as { readonly [name: string]: IncidentFile }
const shippedOf = (name: string) => (Object.hasOwn(shipped, name) ? shipped[name] : undefined)

export const incidents = handlers(({ library, scheduler }) => ({
  listIncidents: {
    read(look) {
      const names = new Set([...Object.keys(shipped), ...runningIn(look).map(({ name }) => name)])
      return ok({ incidents: [...names].sort().map((name) => view(look, name)) })
    },
  },

  async startIncident({ world, request }) {
    const { name } = request.path
    const { seed = world.name, file: given, ...rest } = request.body
    noneLeft(rest)
    if (!scenarioName.test(name))
      throw invalid(`the name "${name}" must be lower-case words joined by hyphens`)
    const state = await world.read(({ rows }) => stateIn(rows.get('state', SCENARIO_STATE)))
    const known = [...libraryIn(library(), state).byName.keys()]
    const file = given === undefined ? requireShipped(name) : checked(given, known)
    return ok(
      await changed(world, (tx) => {
        const obstacle = obstacleTo(stateIn(tx.rows.get('state', SCENARIO_STATE)), name, file, tx.now)
        if (obstacle !== undefined) throw invalid(obstacle)
        startIncident(tx, { name, seed, started_at: tx.now, file })
        return { incident: view(tx, name) }
      }),
    )
  },

  async stopIncident({ world, request }) {
    const { name } = request.path
    return ok(
      await changed(world, (tx) => {
        requireRunning(tx, name)
        stopIncident(tx, name)
        return { deleted: 1 }
      }),
    )
  },

  async stepIncident({ world, request }) {
    const { name } = request.path
    const stepped = await changed(world, (tx) => {
      if (!stepIncident(tx, requireRunning(tx, name)))
        throw invalid(`the incident ${name} is over; start it again`)
      return { incident: view(tx, name) }
    })
    scheduler.clockChanged(world)
    return ok(stepped)
  },
}))

/** @throws {ServiceError} 429 if the world has no room for its incidents */
const changed = async <T extends object>(world: World, change: (tx: Tx) => T): Promise<T> => {
  let result: T
  await world.change((tx) => {
    const used = scenarioBytes(stateIn(tx.rows.get('state', SCENARIO_STATE)))
    result = change(tx)
    const adding = scenarioBytes(stateIn(tx.rows.get('state', SCENARIO_STATE))) - used
    if (adding > 0) world.budget.require('scenarios', used, adding)
  })
  return result!
}

function checked(value: unknown, scenarios: readonly string[]): IncidentFile {
  const found = checkIncident(value, scenarios)
  if ('file' in found) return found.file
  const lines = found.issues.map(
    ({ path, message }) => `file${path.length > 0 ? `.${fieldPath(path)}` : ''}: ${message}`,
  )
  throw invalid([...lines, ...(found.more > 0 ? [`and ${found.more} more`] : [])].join('\n'))
}

function requireShipped(name: string): IncidentFile {
  const found = shippedOf(name)
  if (found) return found
  const { code, message } = notFound('incident', name)
  throw new ServiceError(code, message + didYouMean(name, Object.keys(shipped)))
}

const runningIn = ({ rows }: Look) => stateIn(rows.get('state', SCENARIO_STATE)).incidents ?? []

function requireRunning(look: Look, name: string): RunningIncident {
  const running = runningIn(look).find((each) => each.name === name)
  if (running) return running
  throw new ServiceError('resource_not_found', `the incident ${name} does not run in this world`)
}

function view(look: Look, name: string): Incident {
  const running = runningIn(look).find((each) => each.name === name)
  const file = running?.file ?? shippedOf(name)!
  const next = running && nextChange(running, look.now)
  return {
    name,
    title: file.title,
    summary: file.summary?.trim() ?? '',
    sources: [...(file.sources ?? [])],
    shipped: shippedOf(name) === file || JSON.stringify(shippedOf(name)) === JSON.stringify(file),
    state: !running ? 'stopped' : isOver(running, look.now) ? 'over' : 'running',
    started_at: running ? exactTime(running.started_at) : null,
    next_at: next === undefined ? null : exactTime(next),
    entries: entriesOf(file).map((entry) => entryView(entry, running && look.now - running.started_at)),
  }
}

/** @param time - milliseconds since the start of the incident, if it runs */
function entryView(entry: TimedEntry, time = -1): Incident['entries'][number] {
  const { time: from, until, isOnce } = entry
  return {
    at: formatDuration(from),
    until: isOnce || until === Infinity ? null : formatDuration(until),
    what: wordsOf(entry),
    state: time < from ? 'next' : time < until ? 'in_force' : 'over',
  }
}

/** Such as `m-pesa: settle never true`. */
function wordsOf({
  time: _time,
  until: _until,
  isOnce: _isOnce,
  for: _for,
  network,
  direction,
  share,
  ...words
}: TimedEntry) {
  const text = (value: unknown): string =>
    typeof value === 'object' && value !== null
      ? Object.entries(value)
          .map(([key, each]) =>
            each === true ? key : Array.isArray(value) ? text(each) : `${key} ${text(each)}`,
          )
          .join(' ')
      : String(value)
  const where = [
    network,
    direction,
    share === undefined ? undefined : `${Math.round(share * 1000) / 10} %`,
  ].filter(Boolean)
  const what = Object.entries(words).flatMap(([word, value]) =>
    value === undefined ? [] : [`${word} ${text(value)}`],
  )
  return `${where.length > 0 ? `${where.join(', ')}: ` : ''}${what.join('; ')}`
}
