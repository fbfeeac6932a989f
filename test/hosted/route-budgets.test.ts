/** Every route that strangers can reach takes from a budget. */
import type { Hono } from 'hono'
import { expect, it, vi } from 'vitest'
import { type Route, routesOf } from '../../openapi/document.ts'
import type * as Site from '../../src/pages/site.ts'
import { descriptions } from '../support/descriptions.ts'
import { openToStrangers } from './strangers.ts'

let site: Hono | undefined
vi.mock('../../src/pages/site.ts', async (original) => {
  const { createSite } = await original<typeof Site>()
  return { createSite: (options: Site.SiteOptions) => (site = createSite(options) as unknown as Hono) }
})

/** Routes that take from no budget: an orchestrator that gets 429 would end a process that is well. */
const FREE = ['GET /livez', 'GET /readyz']

const env = { SANDBOX_EXTENSIONS: 'on', SANDBOX_METRICS: 'on' }
const limited = await openToStrangers({ ...env, SANDBOX_ADDRESS_RATE_LIMIT: '1' })
const open = await openToStrangers(env)
await limited.ask('GET', '/', { from: '192.0.2.255' })
const stranger = await open.stranger()

const described = descriptions.flatMap(({ document }) => routesOf(document))
const concrete = (path: string) => path.replace(/\{\w+\}|:\w+(\{[^/]+\})?/g, '1')
const pages = site!.routes
  .filter(({ method, path }) => method !== 'ALL' && !path.includes('*'))
  .map(({ method, path }) => ({ method, path: concrete(path) }))
const all = [
  ...described.map(({ method, path }) => ({ method: method.toUpperCase(), path: concrete(path) })),
  ...pages,
]
const named = [...new Set(all.map(({ method, path }) => `${method} ${path}`))].filter(
  (route) => !FREE.includes(route),
)

it.each(named.map((route, n) => [route, n] as const))(
  '%s takes from the budget of an address',
  async (route, n) => {
    const [method, path] = route.split(' ') as [string, string]
    const from = `198.18.${n >> 8}.${n & 255}`
    await limited.ask('GET', '/', { from })
    expect((await limited.ask(method, path, { from })).status).toBe(429)
  },
)

it('knows the pages', () => {
  for (const page of [
    'POST /mcp',
    'POST /sandbox/inbox/1',
    'GET /docs',
    'POST /sign-up',
    'POST /checkout/1/1',
  ])
    expect(named).toContain(page)
})

/** Those that anybody may call, and those of the administrator, are of no world. */
const isOfWorld = ({ operation }: Route) =>
  operation.security?.length !== 0 &&
  !operation.security?.some((each) => 'signUpToken' in each) &&
  !operation['x-allowed-roles']?.includes('operator')

it.each(described.filter(isOfWorld).map(({ method, path }) => [`${method.toUpperCase()} ${concrete(path)}`]))(
  '%s takes from the requests of its world',
  async (route) => {
    const [method, path] = route.split(' ') as [string, string]
    const { budget } = open.sandbox.worlds.get(stranger.id)!
    open.time.now += 60_000
    const before = budget.left('requests')
    const headers = { authorization: open.authorizationOf(stranger) }
    const waitsFor = path.endsWith('/wait') ? '?timeout=1ms' : ''
    const url = `http://sandbox.test${path}${waitsFor}`
    const response = await open.sandbox.fetch(new Request(url, { method, headers }))
    await response.body?.cancel()
    expect(budget.left('requests')).toBe(before - 1)
  },
)
