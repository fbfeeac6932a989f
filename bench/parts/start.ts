import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { insideScript } from '../build.ts'
import { type Command, start } from '../processes.ts'
import { type Section, text, verdict } from '../report.ts'
import { getAccount } from '../requests.ts'
import * as servers from '../servers.ts'
import { type Effort, median, root } from '../settings.ts'

/** From the start of the process to its first 200. */
export async function measureStart(effort: Effort): Promise<Section> {
  const overHttp = (command: Command) => async () => {
    const server = await start(command, getAccount.path)
    await server.stop()
    return server.firstAnswer
  }
  const contestants: { name: string; measure: () => Promise<number> }[] = [
    { name: 'bare node:http', measure: overHttp(servers.bare()) },
    { name: 'hono', measure: overHttp(servers.hono()) },
    { name: 'payments-sandbox, built', measure: overHttp(servers.ours) },
    { name: 'payments-sandbox, from source (tsx)', measure: overHttp(servers.oursFromSource) },
    { name: 'payments-sandbox, createSandbox()', measure: inProcess },
    { name: 'json-server', measure: overHttp(servers.jsonServer()) },
    { name: 'Prism', measure: overHttp(servers.prism) },
    { name: 'Mockoon', measure: overHttp(servers.mockoon) },
    { name: 'WireMock', measure: overHttp(servers.wiremock()) },
  ]
  const times = contestants.map(() => [] as number[])
  for (let round = 0; round < effort.starts; round++)
    for (const [i, { measure }] of contestants.entries()) times[i]!.push(await measure())

  const medians = times.map(median)
  const [floor, , built] = medians as [number, number, number]
  const quickestPeer = Math.min(...medians.slice(5))
  return {
    title: 'Start to first 200',
    about:
      'From spawning the process to its first 200 at `GET /api/v2/account/63`, asked every 2 ms. `createSandbox()` answers ' +
      'the same request without a port. Prism and Mockoon read our description; WireMock and json-server cannot, and have one ' +
      'stub or row a route.',
    tables: [
      {
        columns: ['', 'ms', 'times bare'],
        rows: contestants.map(({ name }, i) => [name, text(medians[i]!), text(medians[i]! / floor, 1)]),
      },
    ],
    verdicts: [
      verdict('start of the built package, as a multiple of the bare server,', built / floor, 4, false, 1),
      verdict(
        "start of the built package, as a share of the quickest peer's,",
        built / quickestPeer,
        1,
        false,
      ),
    ],
  }
}

async function inProcess(): Promise<number> {
  const from = performance.now()
  const child = spawn(process.execPath, [insideScript('first-answer')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [status] = (await once(child, 'message')) as [number]
  const took = performance.now() - from
  if (status !== 200) throw new Error(`createSandbox() answered ${status}`)
  await once(child, 'exit')
  return took
}
