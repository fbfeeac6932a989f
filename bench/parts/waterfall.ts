import { readFileSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { SourceMap } from 'node:module'
import { insideScript } from '../build.ts'
import { load } from '../load.ts'
import { start } from '../processes.ts'
import { type Section, text } from '../report.ts'
import { createCollection, getAccount } from '../requests.ts'
import { oursWith } from '../servers.ts'
import type { Effort } from '../settings.ts'

/** Rows of the table, by the source of the nearest function on the stack that has one. */
const rows: readonly (readonly [name: string, source: RegExp])[] = [
  ['Node.js: parse, read the body, write the response', /^node:/],
  ['hono: request, route, response', /node_modules\/(@hono|hono)\//],
  ['`http/server.ts`: connections, short bodies', /src\/http\/server\.ts/],
  ['`http/read-request.ts` and zod: parse and validate', /src\/http\/read-request\.ts|node_modules\/zod\//],
  ['the rest of `http/`: caller, limits, scenario, response', /src\/http\//],
  ['`scenarios/`: the decision', /src\/scenarios\//],
  ['`service/`: rules and ledger', /src\/service\//],
  ['`storage/`: rows, indexes, commit', /src\/storage\//],
  ['`worlds/`: budgets, request log, events', /src\/worlds\//],
  ['the rest of `src`', /src\//],
]
/** Functions of V8 and of the kernel without a source. */
const own: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'V8 itself',
  writev: 'the kernel: write the response',
  writeUtf8String: 'the kernel: write the response',
  writeLatin1String: 'the kernel: write the response',
}

/** CPU time of a warm `createCollection` by the part of the code that uses it, from a CPU profile. */
export async function measureWaterfall({ warmUp, connections }: Effort): Promise<Section> {
  const server = await start(oursWith({ SANDBOX_SETTLE_AFTER: '1h' }), getAccount.path)
  try {
    const requests = { requests: warmUp }
    await load(server, createCollection, requests, connections)
    const { cpu } = await load(server, createCollection, requests, connections)
    await server.ask('profile')
    await load(server, createCollection, requests, connections)
    const shares = sharesOf((await server.ask('profiled')) as Profiler.Profile)
    const all = [...rows.map(([name]) => name), ...new Set(Object.values(own))]
    return {
      title: 'Where the time of a request goes',
      about:
        `CPU time of a warm \`createCollection\`, ${text(cpu, 1)} µs in all, by the nearest function on the stack that has a source, ` +
        'from a CPU profile (`npm run bench -- waterfall`).',
      tables: [
        {
          columns: ['', 'µs', 'share'],
          rows: all.map((name) => [
            name,
            text(cpu * (shares.get(name) ?? 0), 1),
            `${text(100 * (shares.get(name) ?? 0), 1)} %`,
          ]),
        },
      ],
      verdicts: [],
    }
  } finally {
    await server.stop()
  }
}

/** Returns the share of each row in the time of a profile without idle time. */
function sharesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): ReadonlyMap<string, number> {
  const map = new SourceMap(JSON.parse(readFileSync(`${insideScript('server')}.map`, 'utf8')) as never)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const sourceOf = ({ url, lineNumber, columnNumber }: Profiler.ProfileNode['callFrame']) => {
    if (!url.startsWith('file:')) return url
    const entry = map.findEntry(lineNumber, columnNumber)
    return 'originalSource' in entry ? entry.originalSource : url
  }
  const rowOf = (id: number | undefined): string => {
    const node = id === undefined ? undefined : byId.get(id)
    if (!node) return own['(program)']!
    const { functionName, url } = node.callFrame
    if (url === '') return own[functionName] ?? rowOf(parents.get(node.id))
    const source = sourceOf(node.callFrame)
    return rows.find(([, pattern]) => pattern.test(source))?.[0] ?? rowOf(parents.get(node.id))
  }
  const known = new Map(
    nodes.map(({ id, callFrame }) => [id, callFrame.functionName === '(idle)' ? '' : rowOf(id)]),
  )
  const sums = new Map<string, number>()
  let total = 0
  for (const [n, id] of samples.entries()) {
    const row = known.get(id)!
    if (row === '') continue
    const time = timeDeltas[n + 1] ?? 0
    total += time
    sums.set(row, (sums.get(row) ?? 0) + time)
  }
  return new Map([...sums].map(([row, sum]) => [row, sum / total]))
}
