import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { operationsOf, type Part, resolve } from '../../src/pages/viewer/description.ts'

const descriptions = ['service', 'control', 'extensions'].map((name) => {
  const file = new URL(`../../src/generated/${name}/openapi.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as Part
})

const links = descriptions.flatMap((description) => {
  const operations = operationsOf(description.paths).map(({ operation }) => operation as Part)
  return operations.flatMap((from) =>
    Object.values<Part>(from.responses).flatMap((each) => {
      const response = resolve(description, each)
      return Object.values<Part>(response.links ?? {}).map((link) => ({
        name: `${from.operationId} to ${link.operationId}`,
        link,
        from,
        response,
        named: (operations.find(({ operationId }) => operationId === link.operationId)?.parameters ?? []).map(
          (each: Part) => resolve(description, each).name,
        ),
      }))
    }),
  )
})

const json = (holder: Part): Part => holder?.content?.['application/json']

/** What a runtime expression has in a request and its answer. */
function valueOf(expression: string, sent: Part, answered: Part): unknown {
  const [source, pointer] = expression.split('#')
  const start = source === '$request.body' ? sent : answered
  return pointer!
    .slice(1)
    .split('/')
    .reduce((part, key) => part?.[key], start)
}

describe('the links of an answer', () => {
  it('lead on from what makes something', () => {
    const from = new Set(links.map((each) => each.from.operationId))
    const makers = [
      'createCollection',
      'createWithdrawal',
      'createGlobalPayment',
      'createAccount',
      'submitKyc',
    ]
    expect([...from]).toEqual(expect.arrayContaining(makers))
  })

  it.each(links)(
    'lead from $name with an id that the example answers have',
    ({ link, from, response, named }) => {
      expect(named).toEqual(expect.arrayContaining(Object.keys(link.parameters ?? {})))
      const examples = Object.entries<Part>(json(response).examples)
      expect(examples).not.toEqual([])
      for (const [name, { value: answered }] of examples) {
        const sent = json(from.requestBody ?? {})?.examples?.[name]?.value
        for (const expression of Object.values<string>({ ...link.parameters, ...link['x-request-body'] }))
          expect(['string', 'number']).toContain(typeof valueOf(expression, sent, answered))
      }
    },
  )
})
