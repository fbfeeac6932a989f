import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { here, root } from '../settings.ts'

/** A PostgreSQL server for the benchmark. */
export interface Database {
  readonly url: string
  /** CPU time of all its processes since its start, in microseconds. */
  cpu(): number
  stop(): Promise<void>
}

/** Starts Debian's PostgreSQL; resolves to undefined if it can neither be found nor installed. */
export async function startDatabase(): Promise<Database | undefined> {
  const child = spawn(
    join(root, 'test/support/with-postgres'),
    ['sh', '-c', 'echo "$TEST_DATABASE_URL $TEST_POSTGRES_FOLDER"; cat'],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, POSTGRES_FSYNC: 'on' } },
  )
  const [told] = (await once(child.stdout, 'data')) as [Buffer]
  const [url, folder] = told.toString().trim().split(' ')
  if (!url?.startsWith('postgres:')) return undefined
  const postmaster = Number(readFileSync(join(folder!, 'postmaster.pid'), 'utf8').split('\n')[0])
  return {
    url,
    cpu: () => cpuOfFamily(postmaster),
    async stop() {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

/** Starts a proxy that delays traffic to a database, in a separate process, and resolves to its address. */
export async function heldUp(url: string, ms: number): Promise<{ readonly url: string; stop(): void }> {
  if (ms === 0) return { url, stop() {} }
  const child = fork(join(here, 'cluster/proxy.ts'), [url, String(ms)], { execArgv: ['--import', 'tsx'] })
  const [by] = (await once(child, 'message')) as [string]
  return { url: by, stop: () => void child.kill() }
}

/** CPU time of a process and its children, including exited ones; Linux counts in hundredths of a second. */
function cpuOfFamily(parent: number): number {
  let ticks = 0
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number)
      if (Number(pid) === parent) ticks += fields[11]! + fields[12]! + fields[13]! + fields[14]!
      else if (fields[1] === parent) ticks += fields[11]! + fields[12]!
    } catch {
      // The process has exited.
    }
  }
  return ticks * 10_000
}
