import { SandboxError } from '../client/transport.ts'
import type { WorldExport } from '../client/types.ts'
import type { WorldClient } from '../client/world-client.ts'
import { ClientError } from './failures.ts'
import { readAddress, type Target, targetOf } from './options.ts'
import type { Credentials } from '../client/transport.ts'
import { exitCodes } from './output.ts'
import type { Process } from './process.ts'
import { startFailure } from './start.ts'
import { worldAt } from './world-command.ts'
import { readConfig } from '../config/config.ts'
import { systemWall } from '../lib/clock/clock.ts'
import { createLog } from '../lib/log/log.ts'
import { UnusableFile } from '../sandbox/sandbox.ts'
import { NoWorld, type WorldItem, type WorldSource, type WorldTarget } from '../sandbox/transfer/items.ts'
import { type Place, sourceIn, targetIn } from '../sandbox/transfer/stored.ts'
import type { WorldRows } from '../storage/store/change.ts'

export const locations =
  'a database (postgres://…), a rows file, or the address of a running sandbox (default: from SANDBOX_DATABASE_URL or SANDBOX_DB, or ' +
  'the default of --url)'
export const secrets =
  'The file contains secrets: password hashes, signing secrets of callbacks, inbox addresses. Pass a database password in ' +
  'SANDBOX_DATABASE_URL, since other processes can read the command line.'

/**
 * Returns the location of worlds: a running sandbox, a database or a rows file.
 * @param text - An address or path. By default the storage that the environment configures; if that is memory, the running sandbox.
 */
function whereOf({ env }: Process, text: string | undefined): { readonly url: string | undefined } | Place {
  const { SANDBOX_DB, SANDBOX_DATABASE_URL, SANDBOX_DATABASE_URLS } = env
  if (text === undefined && !SANDBOX_DB && !SANDBOX_DATABASE_URL && !SANDBOX_DATABASE_URLS)
    return { url: undefined }
  if (text !== undefined && /^https?:/i.test(text)) return { url: readAddress(text) }
  const isDatabase = text !== undefined && /^postgres(ql)?:/i.test(text)
  const settings =
    text === undefined
      ? { SANDBOX_DB, SANDBOX_DATABASE_URL, SANDBOX_DATABASE_URLS }
      : isDatabase
        ? { SANDBOX_DATABASE_URL: text }
        : { SANDBOX_DB: text }
  const { databaseUrl, databaseUrls, db } = readConfig(settings)
  return { databaseUrl, databaseUrls, db }
}

/** @throws {Error} For invalid settings or a missing file. */
export async function sourceOf(io: Process, from?: string, user?: Credentials): Promise<WorldSource> {
  const where = whereOf(io, from)
  return 'url' in where ? runningSource(targetOf(io, { ...where, user })) : sourceIn(where, ...withLog(io))
}

export function targetFor(io: Process, to?: string, user?: Credentials): WorldTarget {
  const where = whereOf(io, to)
  return 'url' in where ? runningTarget(targetOf(io, { ...where, user })) : targetIn(where, ...withLog(io))
}

function withLog({ env, err }: Process) {
  const { SANDBOX_DB_SYNC } = env
  const log = createLog({ level: 'warn', write: err.write, terminal: err.terminal, now: systemWall })
  return [readConfig({ SANDBOX_DB_SYNC }), log] as const
}

/** Reads worlds of a running sandbox. */
const runningSource = (target: Target): WorldSource => ({
  name: target.url,
  worlds: () => worldsOf(target),
  async *itemsOf(world) {
    const known = await worldsOf(target)
    // A request would create the world.
    if (!known.includes(world)) throw new NoWorld(`${target.url} has no world ${world}`)
    const { rows, ...about } = await inWorld(target, world)
      .export()
      .catch((error: unknown) => {
        throw isRefused(error) ? new NoWorld(ownKeys(target, world)) : error
      })
    yield { ...about, world, rows: rows as WorldRows } satisfies WorldItem
  },
  close: async () => {},
})

/** Writes worlds to a running sandbox, which keeps its keys. */
const runningTarget = (target: Target): WorldTarget => ({
  name: target.url,
  has: async (world) => (await worldsOf(target)).includes(world),
  putWorld: ({ world, ...item }) =>
    inWorld(target, world)
      .import(item as WorldExport)
      .catch((error: unknown) => {
        if (isRefused(error)) throw new NoWorld(ownKeys(target, world))
        if (!(error instanceof SandboxError)) throw error
        const { status, body } = error
        throw new Error(`${target.url} responds with ${status}: ${body.error_message ?? 'no message'}`)
      }),
  putSnapshot: async () => false,
  putRequests: async () => false,
  close: async () => {},
})

const isRefused = (error: unknown) => error instanceof ClientError && error.refused

const worldsOf = async (target: Target) =>
  (await worldAt(target).worlds.list()).map(({ id }) => id).toSorted()

/** Returns the same user in another world: `alice` of the world `demo+ci` is `alice+ci`. */
function inWorld(target: Target, world: string): WorldClient {
  const suffix = world.includes('+') ? world.slice(world.indexOf('+')) : ''
  return worldAt({ ...target, username: target.username.replace(/\+.*$/, '') + suffix })
}

const ownKeys = ({ url }: Target, world: string) =>
  `${url}: the world ${world} has different keys. Pass one with --user, or export from the database or the file of a stopped sandbox`

/** Prints the error of an export or import. @returns The exit code. */
export function transferFailure({ err }: Process, error: unknown, json = false): number {
  const { line: message, code: otherwise } = startFailure(error)
  const code = codeOf(error) ?? otherwise
  err.write(json ? `${JSON.stringify({ kind: 'error', message, code })}\n` : `${message}\n`)
  return code
}

/** An error in a file of worlds, with file and line. */
export class WrongLine extends Error {}

function codeOf(error: unknown): number | undefined {
  if (error instanceof ClientError) return error.refused ? exitCodes.no : exitCodes.unreachable
  if (error instanceof UnusableFile) return exitCodes.start
  return error instanceof NoWorld || error instanceof WrongLine ? exitCodes.no : undefined
}
