import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { openScenarioRunner } from '../../src/cli/scenario-runner.ts'
import { servedCountries, endingOf, testNumbers } from '../../src/service/domain/countries/countries.ts'
import { reasonNames } from '../../src/service/vocabulary/rails.ts'
import { scenarioJsonSchema } from '../../src/scenarios/file.ts'
import { shippedScenarios } from '../../src/scenarios/load.ts'
import { loadPath, readScenario } from '../../src/scenarios/read.ts'
import type { Outcome } from '../../src/service/vocabulary/outcome.ts'
import { transactionRow } from '../../src/storage/store/payment-rows.ts'
import type { Scenario } from '../../src/scenarios/scenario.ts'
import { collection, globalPayment, withdrawal } from '../support/requests.ts'
import { refused, startSandbox } from '../support/sandbox.ts'
import schema from '../../scenarios/scenario.schema.json' with { type: 'json' }
import document from '../../src/generated/service/openapi.json' with { type: 'json' }

const scenarios = shippedScenarios()
const files = await loadPath('scenarios')

/** The plans of scenarios, and of their steps. */
const plansOf = (list: readonly Scenario[]) =>
  list.flatMap(({ name, script }) => {
    const parts = script.kind === 'then' ? [script] : script.kind === 'steps' ? script.steps : script.choices
    return parts.flatMap(({ outcome: { plan } }) => (plan ? [{ name, plan }] : []))
  })

describe('each shipped scenario', () => {
  let runner: Awaited<ReturnType<typeof openScenarioRunner>>
  beforeAll(async () => {
    runner = await openScenarioRunner(files)
  })
  afterAll(() => runner.close())

  it.each(files)('$name meets its expectations', async (scenario) => {
    expect(scenario.expect.length).toBeGreaterThan(0)
    expect(await runner.run(scenario)).toEqual([])
  })

  it.each(plansOf(files))('$name: a stored plan keeps every word', ({ plan }) => {
    expect(transactionRow().shape.plan.parse(plan)).toEqual(plan)
  })

  it('is loaded as its file defines', () => {
    const shown = (list: readonly Scenario[]) => list.map((each) => JSON.stringify(each))
    expect(shown(scenarios)).toEqual(shown(files.map((each) => ({ ...each, shipped: true }))))
  })
})

describe('a file whose expectations fail', () => {
  it('is reported with each difference', async () => {
    const cancels = files.find(({ name }) => name === 'payer-cancels')!
    const wrong: Scenario = {
      ...cancels,
      expect: [{ ...cancels.expect[0]!, status: 'success', callbacks: [], ledger: { wallet: 985 } }],
    }
    const runner = await openScenarioRunner([wrong])
    expect(await runner.run(wrong)).toEqual([
      'request 1: status: expected "success", got "failed"',
      'request 1: callbacks: expected [], got ["failed"]',
      'request 1: change of wallet: expected 985, got 0',
    ])
    await runner.close()
  })
})

describe('a file whose sample does not trigger it', () => {
  const played = async (text: string) => {
    const scenario = await readScenario('mine', 'mine.yaml', text)
    const runner = await openScenarioRunner([scenario])
    const differences = await runner.run(scenario)
    await runner.close()
    return differences
  }

  it('is reported even if its expectations hold', async () => {
    const text =
      'title: T\nwhen: { operation: createCollection, amount: 44 }\nthen: { callback: { times: 2 } }\n'
    expect(await played(`${text}expect: { request: createCollection, status: success }\n`)).toEqual([
      'request 1: the outcome did not apply: amount must be 44, was 1000',
    ])
  })

  it('is reported if the request is invalid', async () => {
    const text = 'title: T\nwhen: { operation: createCollection }\nthen: {}\n'
    const request = '{ operation: createCollection, body: { amount: 0 } }'
    expect(await played(`${text}expect: { request: ${request}, response: 400 }\n`)).toEqual([
      'request 1: the outcome did not apply: rejected with 400 before any outcome was considered',
    ])
  })

  it('passes if the request has its own reference', async () => {
    const text =
      'title: T\nwhen: { reference: mine }\nthen: { settle: { status: failed, reason: expired } }\n'
    const request = '{ operation: createCollection, body: { external_reference: mine } }'
    expect(
      await played(`${text}expect: { request: ${request}, times: 2, statuses: { failed: 2 } }\n`),
    ).toEqual([])
  })
})

describe('the JSON Schema for editors', () => {
  const accepts = new Ajv2020({ strict: false }).compile(schema)
  const texts = readdirSync('scenarios').filter((name) => name.endsWith('.yaml'))

  it('matches the code', () => {
    expect(schema).toEqual(JSON.parse(JSON.stringify(scenarioJsonSchema())))
  })

  it.each(texts)('accepts %s', (name) => {
    expect(accepts(parse(readFileSync(`scenarios/${name}`, 'utf8')))).toBe(true)
  })

  it.each([
    'titel: T',
    '{ title: T, when: { operation: pay }, then: {} }',
    '{ title: T, when: { partei: 1 }, then: {} }',
    '{ title: T, then: { settle: { reason: canceled } } }',
    '{ title: T, then: { delay: [] } }',
  ])('rejects %s', (text) => {
    expect(accepts(parse(text))).toBe(false)
  })
})

it('the description lists the test numbers in the fields that accept them', () => {
  const values = (field: { 'x-sandbox-values': { value: string; scenario: string }[] }) =>
    field['x-sandbox-values'].map(({ scenario }) => scenario)
  const schemas = document.components.schemas
  const payer = schemas.CreateCollectionRequest.properties.phone_number
  const recipient = schemas.CreateWithdrawalRequest.properties.account_number
  expect(values(payer)).toEqual(expect.arrayContaining(['payer-cancels', 'late-success', 'lost-response']))
  expect(values(payer)).not.toContain('recipient-not-found')
  expect(values(recipient)).toContain('recipient-not-found')
  expect(values(recipient)).not.toContain('payer-cancels')
  expect(payer['x-sandbox-values'][0]).toEqual({
    value: '254700000001',
    scenario: 'insufficient-funds',
    title: 'The payer has insufficient funds',
  })
})

describe('test numbers', () => {
  const endings = scenarios.flatMap(({ ending }) => ending ?? [])

  it('exist in every supported country', () => {
    expect(
      testNumbers('000')
        .map(({ country }) => country)
        .sort(),
    ).toEqual([...servedCountries].sort())
  })

  it('select one scenario each', () => {
    expect(endings).toHaveLength(new Set(endings).size)
  })

  it.each(testNumbers('000').map(({ country }) => country))('of %s are valid mobile numbers', (country) => {
    for (const ending of endings) {
      const { number, local } = testNumbers(ending).find((each) => each.country === country)!
      const read = parsePhoneNumberFromString(`+${number}`)
      expect(read).toMatchObject({ country })
      expect(read!.isValid()).toBe(true)
      expect(read!.getType()).toBe('MOBILE')
      expect(parsePhoneNumberFromString(local, country as 'KE')!.number).toBe(`+${number}`)
    }
  })

  it.each([
    '254712345678',
    '254712000002',
    '254700001002',
    '2547000000020',
    '25470000002',
    '',
    'x002',
    2,
    undefined,
  ])('are not %s', (party) => {
    expect(endingOf(party)).toBeUndefined()
  })
})

describe('every failure can be triggered', () => {
  const outcomes = ({ script }: Scenario): readonly Outcome[] =>
    script.kind === 'then'
      ? [script.outcome]
      : (script.kind === 'steps' ? script.steps : script.choices).map((each) => each.outcome)

  it.each(reasonNames)('reason %s', (reason) => {
    const makes = scenarios.filter((scenario) =>
      outcomes(scenario).some(({ plan }) => plan?.settle?.reason === reason),
    )
    expect(makes.map(({ name }) => name)).not.toEqual([])
  })

  it('every error of specification section 7, by a scenario or a rule', async () => {
    const { world } = await startSandbox()
    const w = world()
    const pay = (changes: object, headers = {}) => w.post('/api/v2/payments', collection(w, changes), headers)
    const cost = /insufficient as it wont cater for cost: \(4\.62\)/
    expect(await pay({ amount: -1 })).toMatchObject(refused(400, 'invalid_argument', /^amount must be more/))
    expect(await pay({ phone_number: '0700000081' })).toMatchObject(refused(400, 'invalid_argument', cost))
    expect(await pay({ amount: 1 })).toMatchObject(
      refused(400, 'invalid_argument', /wont cater for cost: \(1\.00\)/),
    )
    expect(await pay({ phone_number: '0700000083' })).toMatchObject(
      refused(400, 'invalid_argument', 'passed channel is not active'),
    )
    expect(await pay({ channel_id: 1505 })).toMatchObject(
      refused(400, 'invalid_argument', 'passed channel is not active'),
    )
    expect(await pay({}, { prefer: 'scenario=unauthenticated' })).toMatchObject(
      refused(401, 'unauthenticated', /./),
    )
    expect(await pay({}, { authorization: 'Basic eDp5' })).toMatchObject(refused(401, 'unauthenticated', /./))
  })

  it('an insufficient wallet, without affecting another Team', async () => {
    const { world } = await startSandbox()
    const w = world()
    const refusal = refused(
      400,
      'invalid_argument',
      'insufficient balance: the wallet does not cover the payout and its cost',
    )
    expect(await w.post('/api/v2/withdraw', withdrawal(w, { account_number: '254700000082' }))).toMatchObject(
      refusal,
    )
  })

  it('a closed channel, by a number whose title mentions channel_id', async () => {
    const { world } = await startSandbox()
    const w = world()
    const pay = (changes: object) =>
      w.post('/api/v2/payments', collection(w, { phone_number: '0700000084', ...changes }))
    expect((await pay({})).status).toBe(201)
    expect((await pay({ channel_id: 1502 })).status).toBe(400)
    const { body } = await w.get('/sandbox/test-numbers')
    expect(
      body.test_numbers.find(({ scenario }: { scenario: string }) => scenario === 'channel-down'),
    ).toMatchObject({
      title: expect.stringContaining('needs a channel_id'),
    })
  })

  it('in Tanzania as in Kenya', async () => {
    const { world } = await startSandbox()
    const w = world()
    const tanzanian = (account_number: string) =>
      globalPayment(w, {
        provider: 'yellowcard',
        currency: 'TZS',
        country: 'TZ',
        vendor_config: { vendor_id: 65 },
        provider_config: {
          network_id: 'tz-yellowcard-momo-m-pesa',
          provider_id: 'tz-yellowcard',
          network_name: 'M-Pesa',
          network_code: 'TZM01',
          account_type: 'momo',
        },
        payment_config: { ...globalPayment(w).payment_config, account_number },
      })
    for (const number of ['0740000002', '255740000002', '+255740000002']) {
      const { status, headers, body } = await w.post('/api/global/payments', tanzanian(number))
      expect([status, headers.get('sandbox-scenario')]).toEqual([200, 'payer-cancels'])
      await w.settle()
      const now = await w.post('/api/global/transaction-status', { request_id: body.merchant_reference })
      expect(now.body).toMatchObject({ status: 'failed', message: 'Request Cancelled by user.' })
    }
  })

  it('but not in a payout by a payer’s number', async () => {
    const { world } = await startSandbox()
    const w = world()
    const { headers } = await w.post('/api/v2/withdraw', withdrawal(w, { account_number: '254700000002' }))
    expect(headers.get('sandbox-scenario')).toBeNull()
    expect(headers.get('sandbox-outcome')).toBe('default')
  })
})
