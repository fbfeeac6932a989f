/** The description's own examples, sent to a sandbox as they stand. */
import { describe, expect, it } from 'vitest'
import { type Parameter, resolve, type Route, routesOf } from '../../openapi/document.ts'
import type {
  CountryDiscovery,
  TransactionProviders,
  UserProfileResponse,
} from '../../src/generated/service/schemas.ts'
import { descriptions } from '../support/descriptions.ts'
import { parameterExamples, requestExamples, responseExamples } from '../support/examples.ts'
import { collection } from '../support/requests.ts'
import { startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world } = await startSandbox()
const { document } = descriptions.find(({ name }) => name === 'service')!
const examples = requestExamples(document)
const parameters = parameterExamples(document)

/** What has to be there before an example can be accepted, beside the default world. */
const preparations: { readonly [id: string]: (w: TestWorld, value: unknown) => Promise<unknown> } = {
  amendKyc: (w) =>
    w.post('/api/v2/account_kycs', examples.find(({ route }) => route.id === 'submitKyc')!.value),
  getTransactionStatus: (w, value) =>
    w.post(
      '/api/v2/payments',
      collection(w, { external_reference: (value as { request_id: string }).request_id }),
    ),
}

/** The path and query of a route, filled with the examples of its parameters. */
function addressOf(route: Route): string {
  const values = route.parameters.map((reference) => {
    const { name, in: place } = resolve<Parameter>(document, reference)
    const example = parameters.find((each) => each.route.id === route.id && each.parameter.name === name)
    return { name, place, value: encodeURIComponent(String(example?.value)) }
  })
  const path = route.path.replace(/\{(\w+)\}/g, (_, name) => values.find((each) => each.name === name)!.value)
  const query = values.filter(({ place }) => place === 'query').map(({ name, value }) => `${name}=${value}`)
  return query.length > 0 ? `${path}?${query.join('&')}` : path
}

const send = (w: TestWorld, route: Route, body?: unknown) =>
  w[route.method as 'get' | 'post' | 'put' | 'delete'](addressOf(route), body)

const successOf = (route: Route) =>
  Number(Object.keys(route.operation.responses ?? {}).find((status) => status.startsWith('2')))

describe('an example of the description is accepted', () => {
  it.each(examples)('$where', async ({ route, value }) => {
    const w = world()
    await preparations[route.id]?.(w, value)
    const { status, body } = await send(w, route, value)
    expect(body.error_message).toBe(undefined)
    expect(status).toBe(successOf(route))
  })

  const bodiless = routesOf(document).filter(({ operation }) => !operation.requestBody)
  it.each(bodiless.map((route) => ({ id: route.id, route })))('$id', async ({ route }) => {
    const { status, body } = await send(world(), route)
    expect(body.error_message).toBe(undefined)
    expect(status).toBe(successOf(route))
  })
})

describe('an answer of the description is what the sandbox says', () => {
  const answerOf = <T>(id: string) =>
    responseExamples(document).find((each) => each.route.id === id && each.status === '200')!.value as T

  it('discoverCountry', async () => {
    const { body } = await world().get('/api/global/discovery/payment-world/country?country=KE')
    expect(body).toMatchObject(answerOf<CountryDiscovery>('discoverCountry'))
  })

  it('listTransactionProviders', async () => {
    const { body } = await world().post('/api/global/transaction-providers', { country: 'KE' })
    for (const provider of answerOf<TransactionProviders>('listTransactionProviders').providers)
      expect(body.providers).toContainEqual(provider)
  })

  it('getUserProfile, but for the Teams it leaves out', async () => {
    const { user_profile } = (await world().get('/api/v2/user_profile/1')).body
    const { accounts, roles, ...shown } = answerOf<UserProfileResponse>('getUserProfile').user_profile
    expect(user_profile).toMatchObject(shown)
    expect(user_profile.accounts[0]).toEqual(accounts[0])
    expect(user_profile.roles).toMatchObject(roles)
  })
})
