import { systemWall } from '../lib/clock/clock.ts'
import { readConfig } from '../config/config.ts'
import { createLog } from '../lib/log/log.ts'
import type { WorldSource, WorldTarget } from '../sandbox/transfer/items.ts'
import { sourceIn, targetIn } from '../sandbox/transfer/places.ts'
import { readAddress, targetOf, type TargetOptions } from './options.ts'
import type { Process } from './process.ts'
import { runningSource, runningTarget } from './running-worlds.ts'

/** Where worlds are: a running sandbox, a database or a rows file. */
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
