import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Running } from './processes.ts'
import { type Effort, here, median } from './settings.ts'

export interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: object
  /** In the place of a body of JSON. */
  readonly form?: string
  /** That of the key `demo` when left out. */
  readonly authorization?: string
}

export interface Measured {
  /** Requests a second. */
  readonly rate: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Processor time of the server for one request, microseconds. */
  readonly cpu: number
  /** Requests that were not answered 2xx. */
  readonly failed: number
}

const run = promisify(execFile)

/** Loads a server for a number of seconds or of requests, in a process of its own. */
export async function load(
  server: Running,
  request: Request,
  size: { readonly seconds: number } | { readonly requests: number },
  connections: number,
) {
  const amount =
    'seconds' in size ? ['--duration', String(size.seconds)] : ['--amount', String(size.requests)]
  const args = ['--json', '--connections', String(connections), ...amount]
  const { method, body, form, authorization = 'Basic ZGVtbzpkZW1v' } = request
  args.push('--method', method, '--header', `authorization=${authorization}`)
  if (body) args.push('--header', 'content-type=application/json', '--body', JSON.stringify(body))
  if (form) args.push('--header', 'content-type=application/x-www-form-urlencoded', '--body', form)
  const before = server.cpu()
  const { stdout } = await run(
    process.execPath,
    [
      '--import',
      pathToFileURL(join(here, 'polling.mjs')).href,
      join(here, 'node_modules/autocannon/autocannon.js'),
      ...args,
      `http://127.0.0.1:${server.port}${request.path}`,
    ],
    { maxBuffer: 1 << 24, timeout: 'seconds' in size ? (size.seconds + 30) * 1000 : 180_000 },
  )
  const told = JSON.parse(stdout) as {
    duration: number
    requests: { total: number }
    latency: { p50: number; p99: number }
    non2xx: number
    errors: number
  }
  return {
    rate: told.requests.total / told.duration,
    p50: told.latency.p50,
    p99: told.latency.p99,
    cpu: (server.cpu() - before) / told.requests.total,
    failed: told.non2xx + told.errors,
  } satisfies Measured
}

export interface Contestant {
  readonly name: string
  readonly server: Running
  /** What it is asked, where that is not what the others are. */
  readonly request?: Request
}

export interface Result extends Measured {
  readonly name: string
  /** Processor time of the server for one of its first 1,000 requests, microseconds. */
  readonly first: number
  /** Resident memory after the load, MB. */
  readonly memory: number
}

/** Measures all of them in turn, several times over, so that a slow moment of the machine meets each; medians. */
export async function compare(
  contestants: readonly Contestant[],
  request: Request,
  effort: Effort,
): Promise<Result[]> {
  const measured = contestants.map(() => [] as Measured[])
  const first: number[] = []
  for (const { server, request: own = request } of contestants) {
    first.push((await load(server, own, { requests: 1_000 }, effort.connections)).cpu)
    await load(server, own, { requests: effort.warmUp }, effort.connections)
  }
  for (let round = 0; round < effort.rounds; round++)
    for (const [i, { server, request: own = request }] of contestants.entries())
      measured[i]!.push(await load(server, own, { seconds: effort.measure }, effort.connections))
  return contestants.map(({ name, server }, i) => {
    const of = (field: keyof Measured) => median(measured[i]!.map((each) => each[field]))
    return {
      name,
      first: first[i]!,
      rate: of('rate'),
      p50: of('p50'),
      p99: of('p99'),
      cpu: of('cpu'),
      failed: of('failed'),
      memory: server.memory(),
    }
  })
}
