/** Requests made of the descriptions: good ones, and ones that are spoilt somewhere. */
import {
  type OpenApiDocument,
  type Parameter,
  type RequestBody,
  resolve,
  type Route,
  routesOf,
  type Schema,
} from '../../openapi/document.ts'
import { descriptions } from '../support/descriptions.ts'
import { requestExamples, schemaExamples } from '../support/examples.ts'
import { collection, globalPayment, withdrawal } from '../support/requests.ts'
import type { Chance } from './chance.ts'
import { odd, oddText, spoilt } from './values.ts'

export interface FuzzRequest {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

/** Names and numbers that answers gave, by the name of their field. */
export class Known {
  readonly #values = new Map<string, (string | number)[]>()

  /** Remembers the identifiers in an answer. */
  learn(value: unknown, name = ''): void {
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value).slice(0, 20))
        this.learn(inner, Array.isArray(value) ? name : key)
    else if (
      /(^|_)(id|reference|token|link)$|ID$|^name$/.test(name) &&
      (typeof value === 'string' || typeof value === 'number')
    ) {
      const values = this.#values.get(name) ?? []
      values.push(value)
      if (values.length > 20) values.shift()
      this.#values.set(name, values)
    }
  }

  any(chance: Chance, name: string): string | number | undefined {
    const named = this.#values.get(name) ?? []
    const values = named.length > 0 && !chance.once(4) ? named : [...this.#values.values()].flat()
    return values.length === 0 ? undefined : chance.pick(values)
  }
}

export interface Operation {
  readonly id: string
  readonly document: OpenApiDocument
  readonly route: Route
  readonly parameters: readonly (Parameter & { readonly example?: unknown })[]
  /** Bodies that are taken. */
  readonly bodies: readonly unknown[]
}

const receiver = { callback_url: 'http://receiver.test/fuzz' }

const more: { readonly [id: string]: readonly unknown[] } = {
  createCollection: [
    collection(receiver),
    collection(receiver, { channel_id: 1501, callback_url: undefined }),
  ],
  createWithdrawal: [withdrawal(receiver)],
  createGlobalPayment: [globalPayment(receiver)],
  putScenario: [
    {
      title: 'x',
      then: {
        settle: { after: '1s', status: 'failed', reason: 'cancelled' },
        callback: { after: '1s', times: 2, first: true },
      },
    },
    {
      title: 'x',
      when: { operation: 'createCollection', amount: { gt: 10 } },
      then: { later: [{ after: '1h', status: 'reversed' }] },
    },
    {
      title: 'x',
      steps: [{ times: 2, then: { delay: '1s', fault: 'cut' } }, { then: { respond: { status: 503 } } }],
      afterLast: 'repeat',
    },
    {
      title: 'x',
      choices: [
        { weight: 1, then: {} },
        { weight: 3, then: { callback: { retry: { profile: 'svix', speed: 60 } } } },
      ],
    },
    {
      title: 'x',
      when: { 'body.external_reference': { matches: '^a', not: 'b' } },
      then: { channel: { reactivateAfter: '1h' } },
    },
  ],
  updateWorld: [
    {
      settle_after: '2s',
      retry_speed: 60,
      costs: [{ up_to: 10, cost: 1 }, { cost: 2 }],
      signatures: ['stripe', 'standard'],
    },
  ],
  createWorld: [{ clock: { at: '2026-06-30T00:44:53Z', speed: 0 }, settings: { settle_after: 5 } }],
  findRequests: [{ reference: { matches: '^a' }, status: { gte: 200, lt: 500 } }],
  adminUpdateSettings: [{ delay: { type: 'uniform', lower: 0, upper: 1 }, chaos: { probability: 0.5 } }],
}

export const operations: readonly Operation[] = descriptions.flatMap(({ document }) => {
  const examples = requestExamples(document)
  return routesOf(document).map((route) => {
    const { id, operation } = route
    const body = operation.requestBody && resolve<RequestBody>(document, operation.requestBody)
    const schema = body?.content?.['application/json']?.schema
    return {
      id,
      document,
      route,
      parameters: route.parameters.map((each) => resolve<Parameter & { example?: unknown }>(document, each)),
      bodies: !body
        ? []
        : [
            ...(more[id] ?? []),
            ...examples.filter((each) => each.route.id === id).map(({ value }) => value),
            ...(schema ? [made(document, schema)] : []),
          ],
    }
  })
})

/** A value that has every field of a schema, from its examples. */
function made(document: object, schema: Schema): unknown {
  const plain = resolve<Schema>(document as never, schema as Schema & { $ref: string })
  const [example] = schemaExamples(plain)
  if (example !== undefined) return example
  if (plain.enum) return plain.enum[0]
  if (plain.const !== undefined) return plain.const
  const inner = plain.oneOf?.[0] ?? plain.allOf?.[0]
  if (inner) return made(document, inner)
  if (plain.items) return [made(document, plain.items)]
  if (plain.properties)
    return Object.fromEntries(
      Object.entries(plain.properties).map(([name, each]) => [name, made(document, each)]),
    )
  return {}
}

const headerText = (text: string) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '~').trim()

const preferences = [
  'outcome=failed',
  'outcome=reversed',
  'reason=expired',
  'callback=twice',
  'delay=1s',
  'delay=2h',
  'fault=cut',
  'code=503',
  'scenario=payer-cancels',
  'outcome=queued',
  '"',
]

/** One request of an operation, good or spoilt. */
export function makeRequest(
  chance: Chance,
  known: Known,
  operation: Operation,
  authorization: string,
): FuzzRequest {
  const { id, route, parameters } = operation
  const good = chance.once(4)
  let path = route.path
  const query = new URLSearchParams()
  const headers: Record<string, string> = { authorization }
  for (const parameter of parameters) {
    const { name } = parameter
    const usual = chance.once(3) ? parameter.example : (known.any(chance, name) ?? parameter.example)
    const value = String(good || !chance.once(4) ? (usual ?? 1) : oddText(chance))
    if (parameter.in === 'path')
      path = path.replace(
        `{${name}}`,
        name === 'world' && !chance.once(3)
          ? 'current'
          : encodeURIComponent(Buffer.from(value).toString()) || '%20',
      )
    else if (chance.once(2) && !parameter.required) continue
    else if (parameter.in === 'header') headers[name.toLowerCase()] = headerText(value)
    else query.append(name, /wait$/i.test(route.path) && name === 'timeout' && !chance.once(3) ? '0' : value)
    if (parameter.in === 'query' && !good && chance.once(6)) query.append(name, oddText(chance))
  }
  if (!good && chance.once(10)) query.append(oddText(chance), oddText(chance))
  if (chance.once(8))
    headers['prefer'] = headerText(
      chance.once(3) ? oddText(chance) : `${chance.pick(preferences)}, ${chance.pick(preferences)}`,
    )
  if (!good && chance.once(20)) headers['x-sandbox-scenario'] = headerText(oddText(chance))
  if (!good && chance.once(40)) headers['authorization'] = headerText(oddText(chance))
  if (!good && chance.once(40)) headers['accept'] = headerText(oddText(chance))
  const search = query.size > 0 ? `?${query}` : ''
  const body = bodyOf(chance, operation, good, headers)
  return {
    id,
    method: route.method.toUpperCase(),
    path: spoiltPath(chance, path, good) + search,
    headers,
    body,
  }
}

const spoiltPath = (chance: Chance, path: string, good: boolean) => {
  if (good || !chance.once(30)) return path
  return chance.pick([
    `${path}/`,
    path.slice(0, -1),
    `${path}/${encodeURIComponent('__proto__')}`,
    path.replace('/', '//'),
    `${path}%`,
    `${path}%00`,
    path.toUpperCase(),
  ])
}

function bodyOf(
  chance: Chance,
  { bodies, route }: Operation,
  good: boolean,
  headers: Record<string, string>,
): string | undefined {
  if (route.method === 'get') return undefined
  if (bodies.length === 0) return chance.once(10) ? JSON.stringify(odd(chance)) : undefined
  if (!good && chance.once(30)) return undefined
  headers['content-type'] = 'application/json'
  if (!good && chance.once(20))
    headers['content-type'] = headerText(
      chance.pick([
        'text/plain',
        'application/yaml',
        'application/xml',
        '',
        'application/json; charset=utf-16',
        'application/x+json',
      ]),
    )
  const value = chance.pick(bodies)
  const text = JSON.stringify(good ? value : spoilt(chance, value)) ?? ''
  if (good || !chance.once(25)) return text
  return chance.pick([
    text.slice(0, -1),
    `${text}${text}`,
    text.replace(/"/g, "'"),
    `\ufeff${text}`,
    text.replace(/\d+/, '1e400'),
    text.replace(/\d+/, `${'['.repeat(50_000)}${']'.repeat(50_000)}`),
    text.replace(/"[^"]*"(?=[,}\]])/, `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`),
    `{"a":1,${text.slice(1)}`,
    '',
    ' '.repeat(1000),
  ])
}
