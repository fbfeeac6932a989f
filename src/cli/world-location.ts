import { SandboxError } from '../client/transport.ts'
import type { WorldExport } from '../client/types.ts'
import type { WorldClient } from '../client/world-client.ts'
import { ClientError } from './failures.ts'
import { readAddress, type Target, targetOf, type TargetOptions } from './options.ts'
import { exitCodes } from './output.ts'
import type { Process } from './process.ts'
import { startFailure } from './start.ts'
import { worldAt } from './world-command.ts'
import { readConfig } from '../config/config.ts'
import { systemWall } from '../lib/clock/clock.ts'
import { createLog } from '../lib/log/log.ts'
import { UnusableFile } from '../sandbox/sandbox.ts'
import { NoWorld, type WorldItem, type WorldSource, type WorldTarget } from '../sandbox/transfer/items.ts'
import { sourceIn, targetIn } from '../sandbox/transfer/stored.ts'
import type { WorldRows } from '../storage/store/store.ts'

export const locations =
  'postgres://… for a database, the path of a rows file, or the address of a running sandbox (default: what the same environment would start ' +
  'a sandbox with: SANDBOX_DATABASE_URL, SANDBOX_DB, or the sandbox at SANDBOX_HOST and SANDBOX_PORT)'
export const secrets =
  'The file has secrets: hashes of passwords, the secrets that callbacks are signed with, addresses of inboxes. A password in an address is better ' +
  'kept in SANDBOX_DATABASE_URL, since every process of the machine can read a command line.'

/** The location of worlds: a running sandbox, a database or a rows file. */
type Where =
  | { readonly url: string | undefined }
  | { readonly databaseUrl: string | null; readonly db: string | null }

/**
 * @param text an address, or the path of a file; when left out, what the same environment would start a sandbox with, and where that is
 *   memory alone the sandbox that it started
 */
function whereOf({ env }: Process, text: string | undefined): Where {
  const { SANDBOX_DB, SANDBOX_DATABASE_URL } = env
  if (text === undefined && !SANDBOX_DB && !SANDBOX_DATABASE_URL) return { url: undefined }
  if (text !== undefined && /^https?:/i.test(text)) return { url: readAddress(text) }
  const isDatabase = text !== undefined && /^postgres(ql)?:/i.test(text)
  const said =
    text === undefined
      ? { SANDBOX_DB, SANDBOX_DATABASE_URL }
      : isDatabase
        ? { SANDBOX_DATABASE_URL: text }
        : { SANDBOX_DB: text }
  const { databaseUrl, db } = readConfig(said)
  return { databaseUrl, db }
}

export interface WhereOptions extends Pick<TargetOptions, 'user'> {
  readonly json?: boolean
  readonly from?: string
  readonly to?: string
}

/** @throws ConfigError, Error for a file that is not there */
export async function sourceOf(io: Process, { from, user }: WhereOptions): Promise<WorldSource> {
  const where = whereOf(io, from)
  return 'url' in where ? runningSource(targetOf(io, asked(where, user))) : sourceIn(where, ...withLog(io))
}

/** @throws ConfigError */
export function targetFor(io: Process, { to, user }: WhereOptions): WorldTarget {
  const where = whereOf(io, to)
  return 'url' in where ? runningTarget(targetOf(io, asked(where, user))) : targetIn(where, ...withLog(io))
}

const asked = (
  { url }: { readonly url: string | undefined },
  user: TargetOptions['user'],
): TargetOptions => ({
  ...(url !== undefined && { url }),
  ...(user && { user }),
})

function withLog({ env, err }: Process) {
  const { SANDBOX_DB_SYNC } = env
  const log = createLog({ level: 'warn', write: err.write, terminal: err.terminal, now: systemWall })
  return [readConfig({ SANDBOX_DB_SYNC }), log] as const
}

/** Returns the worlds of a running sandbox that one password opens. */
const runningSource = (target: Target): WorldSource => ({
  name: target.url,
  worlds: () => worldsOf(target),
  async *itemsOf(world) {
    const known = await worldsOf(target)
    // A first request would make it.
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

/** Returns the same to write to. A running sandbox takes rows; its keys stay. */
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
        throw new Error(`${target.url} answers ${status}: ${body.error_message ?? 'nothing'}`)
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
  `${url}: the world ${world} has keys of its own. Say one of them with --user, or export from the database or the stopped sandbox's file`

/** Prints why an export or import failed, for a program as a JSON object. @returns the exit code */
export function transferFailure({ err }: Process, error: unknown, json = false): number {
  const { line: message, code: otherwise } = startFailure(error)
  const code = codeOf(error) ?? otherwise
  err.write(json ? `${JSON.stringify({ kind: 'error', message, code })}\n` : `${message}\n`)
  return code
}

/** A fault in a file of worlds; the message names file and line. */
export class WrongLine extends Error {}

function codeOf(error: unknown): number | undefined {
  if (error instanceof ClientError) return error.refused ? exitCodes.no : exitCodes.unreachable
  if (error instanceof UnusableFile) return exitCodes.start
  return error instanceof NoWorld || error instanceof WrongLine ? exitCodes.no : undefined
}
