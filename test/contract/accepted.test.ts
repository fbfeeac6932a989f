/** The schemas of requests state exactly what the sandbox accepts: cases come from each schema, on both sides of its limits. */
import { describe, expect, it } from 'vitest'
import { type RequestBody, resolve, routesOf, type Schema } from '../../openapi/document.ts'
import { descriptions } from '../support/descriptions.ts'
import { parameterExamples, requestExamples } from '../support/examples.ts'
import { jsonSchemas } from '../support/json-schemas.ts'
import { changed, named, partsOf } from '../support/required.ts'
import { client, startSandbox } from '../support/sandbox.ts'

const { document } = descriptions[0]!
const faultsOf = jsonSchemas(document)
const { sandbox } = await startSandbox({ SANDBOX_VALIDATION: 'documented' })
const demo = client(sandbox, 'demo', 'demo')

/** Values at the limits of a schema and of the rules that a schema could have. */
function candidates({ type, maxLength, maximum, minimum }: Schema): readonly unknown[] {
  const types = [type].flat()
  if (types.includes('integer')) return [maximum, maximum! + 1, minimum, minimum! - 1, 7_777, '7', 1.5]
  if (types.includes('number')) return [-1, '1', true]
  if (types.includes('boolean')) return ['true', 1]
  if (!types.includes('string')) return [7]
  const long = maxLength === undefined || maxLength > 5_000 ? [] : ['x'.repeat(maxLength + 1)]
  return ['', 'not-a-value', 'ke', 'http://', 'ftp://host.example/x', 7, ...long]
}

/** Rules about several fields, rows or the path, which the schema of one field cannot state. */
const RELATED = new Set([
  'createAccount dial_code', // goes together with `number`
  'createAccount number', // its form depends on `dial_code`
  'submitKyc kyc_tier', // goes up to the highest tier of the world's settings
  'amendKyc kyc_tier',
  'amendKyc id', // is the id in the path
  'createGlobalPayment provider', // depends on the country and the rail
  'createGlobalPayment currency', // is the currency of the country
  'createGlobalPayment payment_config.account_number', // depends on the rail
  'createGlobalPayment payment_config.reference', // the lenient profile accepts a blank one
  'createGlobalPayment customer.dob', // the bank rail requires it
  'createGlobalPayment customer.id_type', // payouts in some countries require it
  'createGlobalPayment customer.id_number',
  'createCollection network_code', // or `channel_id`, or `is_offline`
  'createWithdrawal external_reference', // the lenient profile accepts a blank one
  'createWithdrawal account_number', // depends on `channel`
  'createWithdrawal network_code',
  'createWithdrawal short_code', // depends on `recipient_type`
])

const cases = routesOf(document).flatMap((route) => {
  const body = route.operation.requestBody && resolve<RequestBody>(document, route.operation.requestBody)
  const schema = body?.content?.['application/json']?.schema
  if (!schema) return []
  const parameters = parameterExamples(document).filter((each) => each.route.id === route.id)
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(parameters.find(({ parameter }) => parameter.name === name)!.value),
  )
  const seen = new Map<string, { path: readonly (string | number)[]; schema: Schema; value: unknown }>()
  for (const { value } of requestExamples(document).filter((each) => each.route.id === route.id))
    for (const part of partsOf(document, schema, value, 'documented'))
      seen.set(named(part.path), { ...part, value })
  return [...seen].flatMap(([name, part]) =>
    candidates(part.schema).map((put) => {
      const sent = changed(part.value, part.path, put)
      const fits = faultsOf(schema, sent).length === 0
      return { id: route.id, method: route.method, path, name, put, sent, fits }
    }),
  )
})

const told = ({ id, name, put }: (typeof cases)[number]) =>
  `${id} ${name} = ${JSON.stringify(put).slice(0, 40)}`

/** Returns the refusal of a field, or undefined when the field is accepted. */
async function refusalOf({ method, path, name, sent }: (typeof cases)[number]) {
  const { status, body } = await demo[method as 'post' | 'put'](path, sent)
  return status === 400 && String(body.error_message).includes(name) ? String(body.error_message) : undefined
}

describe('a request body', () => {
  it('has cases on both sides', () => {
    expect(cases.filter(({ fits }) => fits).length).toBeGreaterThan(50)
    expect(cases.filter(({ fits }) => !fits).length).toBeGreaterThan(200)
  })

  it('is rejected where its schema rejects a field', async () => {
    const accepted: string[] = []
    for (const each of cases.filter(({ fits }) => !fits))
      if ((await refusalOf(each)) === undefined) accepted.push(told(each))
    expect(accepted).toEqual([])
  })

  it('is accepted where its schema accepts a field', async () => {
    const rejected: string[] = []
    for (const each of cases.filter(({ id, name, fits }) => fits && !RELATED.has(`${id} ${name}`))) {
      const refusal = await refusalOf(each)
      if (refusal !== undefined) rejected.push(`${told(each)}: ${refusal}`)
    }
    expect(rejected).toEqual([])
  })
})
