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
  /** Replaces the JSON body. */
  readonly form?: string
  /** Defaults to the key `demo`. */
  readonly authorization?: string
}

export interface Measured {
  /** Requests per second. */
  readonly rate: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** CPU time of the server per request, in microseconds. */
  readonly cpu: number
  /** Requests without a 2xx response. */
  readonly failed: number
}

const run = promisify(execFile)

/** Sends load to a server for a number of seconds or requests, from a separate process. */
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
  /** The request, if it differs from the others'. */
  readonly request?: Request
}

export interface Result extends Measured {
  readonly name: string
  /** CPU time of the server per request during its first 1,000 requests, in microseconds. */
  readonly first: number
  /** Resident memory after the load, in MB. */
  readonly memory: number
}

/** Milliseconds after which no further part of the warm-up begins, because slow peers would need minutes, and requests of a part. */
const LONGEST_WARM_UP = 20_000
const PART = 5_000

/** Measures the contestants in turn, several rounds, so that a slow moment of the machine affects all of them. Returns medians. */
export async function compare(
  contestants: readonly Contestant[],
  request: Request,
  effort: Effort,
): Promise<Result[]> {
  const measured = contestants.map(() => [] as Measured[])
  const first: number[] = []
  for (const { server, request: own = request } of contestants) {
    first.push((await load(server, own, { requests: 1_000 }, effort.connections)).cpu)
    const began = performance.now()
    for (let sent = 0; sent < effort.warmUp && performance.now() - began < LONGEST_WARM_UP; sent += PART)
      await load(server, own, { requests: PART }, effort.connections)
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
