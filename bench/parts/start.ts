import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { insideScript } from '../build.ts'
import { node24 } from '../node24.ts'
import { type Command, start } from '../processes.ts'
import { type Section, text, verdict } from '../report.ts'
import { getAccount } from '../requests.ts'
import * as servers from '../servers.ts'
import { type Effort, median, root } from '../settings.ts'

/** Milliseconds of time and of CPU from the start of a process to its first 200. */
interface Start {
  readonly ms: number
  readonly cpu: number
}

interface Contestant {
  readonly name: string
  readonly measure: () => Promise<Start>
  /** The baseline server on the same Node.js. */
  readonly base: string
}

const BARE = 'bare node:http'
const OURS = 'payments-sandbox, built'
const NPM_START = 'payments-sandbox, npm start'
const on24 = (name: string) => `${name}, on Node.js 24`

/** Measures from the start of the process to its first 200. */
export async function measureStart(effort: Effort): Promise<Section> {
  const newer = node24()
  const peers = [
    http('json-server', servers.jsonServer()),
    http('Prism', servers.prism),
    http('Mockoon', servers.mockoon),
    http('WireMock', servers.wiremock()),
  ]
  const contestants: readonly Contestant[] = [
    http(BARE, servers.bare()),
    http('hono', servers.hono()),
    http(OURS, servers.ours),
    ...(newer
      ? [
          http(on24(BARE), { ...servers.bare(), program: newer }, on24(BARE)),
          http(on24(OURS), { ...servers.ours, program: newer }, on24(BARE)),
        ]
      : []),
    http(NPM_START, servers.oursByNpm),
    http('payments-sandbox, from source (tsx)', servers.oursFromSource),
    { name: 'payments-sandbox, createSandbox()', measure: inProcess, base: BARE },
    ...peers,
  ]
  const starts = new Map(contestants.map(({ name }) => [name, [] as Start[]]))
  for (let round = 0; round < effort.starts; round++)
    for (const { name, measure } of contestants) starts.get(name)!.push(await measure())

  const took = (name: string) => median(starts.get(name)!.map(({ ms }) => ms))
  const worked = (name: string) => median(starts.get(name)!.map(({ cpu }) => cpu))
  const quickestPeer = Math.min(...peers.map(({ name }) => took(name)))
  const row = ({ name, base }: Contestant) => [
    name,
    text(took(name)),
    text(took(name) / took(base), 1),
    text(worked(name)),
  ]
  const goal = (ours: string, bare: string, most = 2.5) =>
    verdict(`start of ${ours}, as a multiple of the bare server's,`, took(ours) / took(bare), most, false, 1)
  return {
    title: 'Start to first 200',
    about:
      'Time from spawning the process to its first 200 at `GET /api/v2/account/63`, and CPU time. `createSandbox()` needs no port. ' +
      'Prism and Mockoon read the description; WireMock and json-server have one stub or row per route. Ratios for Node.js 24 ' +
      'compare with the bare server there.',
    tables: [{ columns: ['', 'ms', 'times bare', 'CPU ms'], rows: contestants.map(row) }],
    verdicts: [
      goal(OURS, BARE),
      ...(newer ? [goal(on24(OURS), on24(BARE))] : []),
      goal(NPM_START, BARE, 5),
      verdict(
        "start of the built package, as a share of the quickest peer's,",
        took(OURS) / quickestPeer,
        1,
        false,
      ),
    ],
  }
}

function http(name: string, command: Command, base = BARE): Contestant {
  const measure = async () => {
    const server = await start(command, getAccount.path)
    const cpu = server.cpu() / 1000
    await server.stop()
    return { ms: server.firstAnswer, cpu }
  }
  return { name, measure, base }
}

async function inProcess(): Promise<Start> {
  const from = performance.now()
  const child = spawn(process.execPath, [insideScript('first-answer')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [status] = (await once(child, 'message')) as [number]
  const ms = performance.now() - from
  if (status !== 200) throw new Error(`createSandbox() answered ${status}`)
  await once(child, 'exit')
  return { ms, cpu: Number.NaN }
}
