import { compare, type Contestant, type Request, type Result } from '../load.ts'
import { node24 } from '../node24.ts'
import { type Command, start } from '../processes.ts'
import { type Section, type Table, text, verdict } from '../report.ts'
import { createCollection, getAccount, listPaymentChannels } from '../requests.ts'
import * as servers from '../servers.ts'
import type { Effort } from '../settings.ts'
import { stripeMock, stripeRequests } from '../stripe-mock.ts'

const OURS = 'payments-sandbox'
const SETTLING = `${OURS}, settling meanwhile`
const LOGGING = `${OURS}, LOG_LEVEL=info`
const FASTIFY = 'fastify, rows in a Map'
const STRIPE = 'stripe-mock, its own API'
const on24 = (name: string) => `${name}, on Node.js 24`

/** Requests per second, latency, CPU time and memory of all contestants. */
export async function measureRate(effort: Effort): Promise<Section> {
  const peers = { Prism: servers.prism, Mockoon: servers.mockoon }
  const later = { ...servers.ours, env: { SANDBOX_SETTLE_AFTER: '1h' } }
  const logging = { ...servers.ours, env: { ...later.env, LOG_LEVEL: 'info' } }
  const stripe = stripeMock()
  const newer = node24()
  const collect = await contest(effort, createCollection, {
    'bare node:http': servers.bare(),
    hono: servers.hono(),
    [FASTIFY]: servers.fastify(),
    [OURS]: later,
    [LOGGING]: logging,
    [SETTLING]: servers.ours,
    ...peers,
    WireMock: servers.wiremock(),
    'json-server': servers.jsonServer(),
    ...(stripe && { [STRIPE]: stripe }),
    ...(newer && {
      [on24('bare node:http')]: { ...servers.bare(), program: newer },
      [on24(OURS)]: { ...later, program: newer },
    }),
  })
  const account = await contest(effort, getAccount, {
    'bare node:http': servers.bare(),
    hono: servers.hono(),
    [FASTIFY]: servers.fastify(),
    [OURS]: servers.ours,
    ...peers,
    WireMock: servers.wiremock(),
    'json-server': servers.jsonServer(),
    ...(stripe && { [STRIPE]: stripe }),
  })
  const channels = await contest(effort, listPaymentChannels, {
    'bare node:http, 10': servers.bare(10),
    'bare node:http, page of 20': servers.bare(10_000),
    'hono, page of 20': servers.hono(10_000),
    'fastify, page of 20': servers.fastify(10_000),
    [`${OURS}, 10`]: servers.oursWith({ CHANNELS: '10' }),
    [`${OURS}, 10,000`]: servers.oursWith({ CHANNELS: '10000' }),
    'Prism (its example)': servers.prism,
    'Mockoon (made up)': servers.mockoon,
    'WireMock, page of 20': servers.wiremock(10_000),
    'json-server, 10': servers.jsonServer(10),
    'json-server, 10,000': servers.jsonServer(10_000),
  })
  const of = (name: string) => collect.find((each) => each.name === name)
  const rateOf = (name: string) => of(name)?.rate ?? Number.NaN
  const bare24 = on24('bare node:http')
  return {
    title: 'Requests',
    about:
      '`createCollection` with credentials, validation, rules, ledger, store, job and request log, without a log. Payments settle an ' +
      'hour later, except in *settling meanwhile* (2 s). The floors parse the body and return the same JSON. Prism validates requests ' +
      'and returns examples; Mockoon generates values; WireMock returns a stub; json-server stores a JSON file; fastify validates and ' +
      'stores in a Map; stripe-mock serves its own API. CPU time includes garbage collection; memory is resident after the load.',
    tables: [
      tableOf('createCollection', collect),
      { ...tableOf('getAccount', account), terminalOnly: true },
      { ...tableOf('listPaymentChannels', channels), terminalOnly: true },
    ],
    verdicts: [
      verdict(
        'the rate of createCollection over the bare server',
        rateOf(OURS) / rateOf('bare node:http'),
        0.4,
        true,
      ),
      ...(newer ? [verdict('the same on Node.js 24', rateOf(on24(OURS)) / rateOf(bare24), 0.45, true)] : []),
      verdict(
        'processor time of createCollection with the default log level over that without a log',
        of(LOGGING)!.cpu / of(OURS)!.cpu,
        1.15,
        false,
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
      contestants.push({
        name,
        server: await start(command, getAccount.path),
        ...(name === STRIPE && {
          request: request.method === 'POST' ? stripeRequests.createCollection : stripeRequests.getAccount,
        }),
      })
    return await compare(contestants, request, effort)
  } finally {
    for (const { server } of contestants) await server.stop()
  }
}

function tableOf(operation: string, results: readonly Result[]): Table {
  const newer = results.find(({ name }) => name === on24('bare node:http'))
  const floorOf = (name: string) => (newer && name.endsWith(on24('')) ? newer : results[0]!).rate
  return {
    columns: [
      operation,
      'requests/s',
      'of bare',
      'p50 ms',
      'p99 ms',
      'CPU µs/request',
      'of the first 1,000',
      'memory MB',
    ],
    rows: results.map((each) => [
      each.name,
      text(each.rate),
      text(each.rate / floorOf(each.name), 2),
      text(each.p50),
      text(each.p99),
      text(each.cpu),
      text(each.first),
      text(each.memory),
    ]),
  }
}
