import { Command } from '@commander-js/extra-typings'
import { basename, extname } from 'node:path'
import { readFile } from 'node:fs/promises'
import { ClientError } from './failures.ts'
import { type End, plainCommand } from './options.ts'
import { exitCodes, type Output } from './output.ts'
import type { Process } from './process.ts'
import { worldCommand } from './world-command.ts'
import type { Incident } from '../client/types.ts'
import { files } from '../lib/files.ts'
import { ScenarioError } from '../scenarios/file.ts'
import type { IncidentFile } from '../scenarios/incident.ts'
import { filesAt, readIncident } from '../scenarios/read.ts'
import { shippedScenarios } from '../scenarios/load.ts'

export function incidentsCommand(io: Process, end: End) {
  const asks = worldCommand(io, end)
  const incidents = new Command('incidents').description(
    'Start published incidents, such as an operator that stalls, for all payments of a world.',
  )
  plainCommand(io, end)(
    incidents
      .command('check')
      .description(
        'Validate incident files and print errors with line and column. Exit code 1: a file is invalid.',
      )
      .argument('[paths...]', 'files or folders (default: the shipped incident files)'),
    ({ out }, paths) => checkIncidents(paths, out),
  )
  asks(
    incidents.command('list').description('List the incidents, and which of them run.'),
    async ({ world, out }) => {
      const all = await world.incidents.list()
      const width = Math.max(...all.map(({ name }) => name.length))
      for (const each of all)
        out.say(`${each.name.padEnd(width)}  ${each.state.padEnd(7)}  ${each.title}`, {
          kind: 'incident',
          ...each,
        })
    },
  )
  asks(
    incidents
      .command('start')
      .description('Start an incident at the current time of the world.')
      .argument('<incident>', 'its name, see incidents list, or an incident file')
      .option(
        '--seed <text>',
        'which payments an entry with a share applies to (default: the name of the world)',
      ),
    async ({ world, out }, given, { seed }) => {
      const isFile = /[./\\]/.test(given)
      const name = isFile ? basename(given, extname(given)) : given
      const file = isFile ? await incidentAt(given) : undefined
      printIncident(out, await world.incidents.start(name, { seed, file }))
    },
  )
  const named = (command: Command) => command.argument('<incident>', 'the name of a running incident')
  asks(
    named(incidents.command('step').description('Go to the time at which the next entry begins or ends.')),
    async ({ world, out }, name) => printIncident(out, await world.incidents.step(name)),
  )
  asks(named(incidents.command('stop').description('Stop an incident.')), async ({ world, out }, name) => {
    await world.incidents.stop(name)
    out.say(`${name} stopped`, { kind: 'stopped', name })
  })
  return incidents
}

/** @throws {ClientError} With file, line and column of each error. */
export async function incidentAt(path: string): Promise<IncidentFile> {
  try {
    const names = shippedScenarios().map(({ name }) => name)
    return readIncident(path, await readFile(path, 'utf8'), names)
  } catch (error) {
    if (error instanceof ScenarioError) throw new ClientError(error.message, true)
    const { code, message } = error as NodeJS.ErrnoException
    throw new ClientError(`${path}: ${code === 'ENOENT' ? 'there is no such file' : message}`, true)
  }
}

async function checkIncidents(paths: readonly string[], out: Output): Promise<number> {
  const names = shippedScenarios().map(({ name }) => name)
  let right = 0
  let wrong = 0
  const unlessFaulty = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      wrong++
      out.say(error.message, { kind: 'fault', message: error.message })
      return undefined
    }
  }
  for (const path of paths.length > 0 ? paths : [files.incidents.pathname])
    for (const file of (await unlessFaulty(() => filesAt(path))) ?? [])
      if (await unlessFaulty(async () => readIncident(file, await readFile(file, 'utf8'), names))) right++
  if (wrong > 0) return exitCodes.no
  out.say(right === 1 ? '1 incident file is valid' : `${right} incident files are valid`, {
    kind: 'checked',
    right,
  })
  return exitCodes.done
}

const SIGNS = { next: ' ', in_force: '>', over: '.' } as const

function printIncident(out: Output, incident: Incident): void {
  const { name, title, state, entries, next_at } = incident
  const lines = entries.map(
    ({ at, until, what, state: each }) =>
      `  ${SIGNS[each]} ${at.padEnd(5)} ${(until === null ? '' : `to ${until}`).padEnd(9)} ${what}`,
  )
  out.say(
    [`${name}: ${title}`, ...lines, `${state}${next_at === null ? '' : `; next step at ${next_at}`}`].join(
      '\n',
    ),
    {
      kind: 'incident',
      ...incident,
    },
  )
}
