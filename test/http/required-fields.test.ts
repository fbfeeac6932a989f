import { describe, expect, it } from 'vitest'
import { type Parameter, type RequestBody, resolve, routesOf } from '../../openapi/document.ts'
import { ALL_SERVED, descriptions } from '../support/descriptions.ts'
import { parameterExamples, requestExamples } from '../support/examples.ts'
import { changed, named, partsOf, type Profile } from '../support/required.ts'
import { client, startSandbox } from '../support/sandbox.ts'

const profiles: readonly Profile[] = ['documented', 'lenient']
const wrongFor = (type: unknown) => (type === 'object' ? 7 : { not: 'this' })

/** An operation's example request, its path filled with the examples of its parameters. */
function requestsOf({ document }: (typeof descriptions)[number]) {
  const parameters = parameterExamples(document)
  return routesOf(document).map((route) => {
    const sent = new Map(
      parameters
        .filter((each) => each.route.id === route.id)
        .map(({ parameter, value }) => [parameter.name, String(value)]),
    )
    const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(sent.get(name)!))
    const query = route.parameters
      .map((parameter) => resolve<Parameter>(document, parameter))
      .filter((parameter) => parameter.in === 'query' && parameter.required)
    const body = route.operation.requestBody && resolve<RequestBody>(document, route.operation.requestBody)
    const schema = body?.content?.['application/json']?.schema
    const examples = requestExamples(document).filter((each) => each.route.id === route.id)
    return { id: route.id, method: route.method, path, query, sent, schema, examples, document }
  })
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

describe.each(profiles)('with SANDBOX_VALIDATION=%s', async (profile) => {
  const { sandbox } = await startSandbox({
    ...ALL_SERVED,
    SANDBOX_VALIDATION: profile,
    SANDBOX_SIGN_UP: 'open',
  })
  const demo = client(sandbox, 'demo', 'demo')
  const requests = descriptions.flatMap(requestsOf)

  const bodies = requests.flatMap(({ examples, schema, document, ...request }) => {
    const parts = examples.flatMap(({ value }) =>
      partsOf(document, schema!, value, profile).map((part) => ({ ...part, value })),
    )
    const seen = new Map(parts.map((part) => [`${request.id} ${named(part.path)}`, part]))
    return [...seen].map(([field, part]) => ({ field, request, ...part }))
  })
  const queryOf = (
    { query, sent }: { query: readonly Parameter[]; sent: Map<string, string> },
    but?: string,
  ) =>
    query
      .filter(({ name }) => name !== but)
      .map(({ name }) => `${name}=${encodeURIComponent(sent.get(name)!)}`)
      .join('&')

  it.each(bodies.filter(({ required }) => required))(
    '400 when $field is missing',
    async ({ request, path, value }) => {
      const send = demo[request.method as Method]
      const answer = await send(`${request.path}?${queryOf(request)}`, changed(value, path, undefined))
      expect(answer).toMatchObject({ status: 400, body: { error_code: 'invalid_argument' } })
      expect(answer.body.error_message.split('; ')).toContain(`${named(path)} is required`)
    },
  )

  it.each(bodies.filter(({ schema }) => schema.type !== undefined))(
    '400 when $field is of another type',
    async ({ request, path, value, schema }) => {
      const send = demo[request.method as Method]
      const wrong = changed(value, path, wrongFor(schema.type))
      const answer = await send(`${request.path}?${queryOf(request)}`, wrong)
      expect(answer).toMatchObject({ status: 400, body: { error_code: 'invalid_argument' } })
      expect(answer.body.error_message).toContain(`${named(path)} must be`)
    },
  )

  const queries = requests.flatMap((request) => request.query.map(({ name }) => ({ request, name })))
  it.each(queries)('400 when $name is missing in the query of $request.id', async ({ request, name }) => {
    const body = request.examples[0]?.value
    const answer = await demo[request.method as Method](`${request.path}?${queryOf(request, name)}`, body)
    expect(answer).toMatchObject({ status: 400, body: { error_code: 'invalid_argument' } })
    expect(answer.body.error_message).toContain(`${name} is required`)
  })

  it('covers only existing operations', () => {
    expect(new Set(bodies.map(({ request }) => request.id)).size).toBeGreaterThanOrEqual(10)
    expect(queries.length).toBeGreaterThanOrEqual(3)
  })
})
