import { compare, type Contestant, type Request, type Result } from '../load.ts'
import { type Command, start } from '../processes.ts'
import { type Section, type Table, text, verdict } from '../report.ts'
import { createCollection, getAccount, listPaymentChannels } from '../requests.ts'
import * as servers from '../servers.ts'
import type { Effort } from '../settings.ts'

const OURS = 'payments-sandbox'
const SETTLING = `${OURS}, settling meanwhile`

/** Requests a second, latency, processor time and memory, side by side. */
export async function measureRate(effort: Effort): Promise<Section> {
  const peers = { Prism: servers.prism, Mockoon: servers.mockoon }
  const later = { ...servers.ours, env: { SANDBOX_SETTLE_AFTER: '1h' } }
  const collect = await contest(effort, createCollection, {
    'bare node:http': servers.bare(),
    hono: servers.hono(),
    [OURS]: later,
    [SETTLING]: servers.ours,
    ...peers,
    WireMock: servers.wiremock(),
    'json-server': servers.jsonServer(),
  })
  const account = await contest(effort, getAccount, {
    'bare node:http': servers.bare(),
    hono: servers.hono(),
    [OURS]: servers.ours,
    ...peers,
    WireMock: servers.wiremock(),
    'json-server': servers.jsonServer(),
  })
  const channels = await contest(effort, listPaymentChannels, {
    'bare node:http, 10': servers.bare(10),
    'bare node:http, page of 20': servers.bare(10_000),
    'hono, page of 20': servers.hono(10_000),
    [`${OURS}, 10`]: servers.oursWith({ CHANNELS: '10' }),
    [`${OURS}, 10,000`]: servers.oursWith({ CHANNELS: '10000' }),
    'Prism (its example)': servers.prism,
    'Mockoon (made up)': servers.mockoon,
    'WireMock, page of 20': servers.wiremock(10_000),
    'json-server, 10': servers.jsonServer(10),
    'json-server, 10,000': servers.jsonServer(10_000),
  })
  const rateOf = (name: string) => collect.find((each) => each.name === name)?.rate ?? Number.NaN
  return {
    title: 'Requests',
    about:
      'The first table is `createCollection` with everything on (credentials, validation, rules, ledger, store, job, journal) ' +
      'into a wallet; it settles an hour later, or, in the second row of ours, after the usual 2 s while the load goes on. ' +
      'The second is `getAccount`, the third `listPaymentChannels` with 10 and 10,000 channels of one Team, 20 a page. The ' +
      'floors parse the body and answer the same JSON with nothing behind it. Prism checks requests against the description and ' +
      'answers its examples; Mockoon makes values up; WireMock answers a stub; json-server keeps what is posted in a JSON file. ' +
      'Processor time is all of the server process, its garbage collection included; memory is resident after the load.',
    tables: [
      tableOf('createCollection', collect),
      tableOf('getAccount', account),
      tableOf('listPaymentChannels', channels),
    ],
    verdicts: [
      verdict(
        'the rate of createCollection over the bare server',
        rateOf(OURS) / rateOf('bare node:http'),
        0.5,
        true,
      ),
      verdict('the rate of createCollection over Prism', rateOf(OURS) / rateOf('Prism'), 5, true, 1),
      ...[...collect, ...account, ...channels]
        .filter(({ failed }) => failed > 0)
        .map(({ name, failed }) => `${name}: ${failed} requests of a round were not answered 2xx.`),
    ],
  }
}

async function contest(
  effort: Effort,
  request: Request,
  commands: Record<string, Command>,
): Promise<Result[]> {
  const contestants: Contestant[] = []
  try {
    for (const [name, command] of Object.entries(commands))
      contestants.push({ name, server: await start(command, getAccount.path) })
    return await compare(contestants, request, effort)
  } finally {
    for (const { server } of contestants) await server.stop()
  }
}

function tableOf(operation: string, results: readonly Result[]): Table {
  const floor = results[0]!.rate
  return {
    columns: [operation, 'requests/s', 'of bare', 'p50 ms', 'p99 ms', 'CPU µs/request', 'memory MB'],
    rows: results.map((each) => [
      each.name,
      text(each.rate),
      text(each.rate / floor, 2),
      text(each.p50),
      text(each.p99),
      text(each.cpu),
      text(each.memory),
    ]),
  }
}
