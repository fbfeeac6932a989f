import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { routesOf } from '../../openapi/document.ts'
import { withTestNumbers } from '../../openapi/test-numbers.ts'
import { bundleDescription, lintDescription } from '../../openapi/read-description.ts'
import { renderDescription } from '../../openapi/render.ts'
import { writeFiles } from '../../openapi/write-files.ts'
import { loadPath } from '../../src/scenarios/read.ts'
import { checkAnswer, checkCallback } from '../support/contract.ts'
import { descriptions, readerOf } from '../support/descriptions.ts'
import {
  callbackExamples,
  parameterExamples,
  requestExamples,
  responseExamples,
  schemaExamples,
} from '../support/examples.ts'
import { componentNames, schemaParts } from '../support/schema-parts.ts'

/** The first fault that a schema finds in a value, in its words; undefined when it takes the value. */
const faultIn = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.message

const scenarios = await loadPath('scenarios')

describe.each(descriptions)('the description of the $name', (description) => {
  const { document, routes, schemas, handlers, source, folder } = description

  it('is what the generated files were made of', async () => {
    const files = await renderDescription(withTestNumbers(await bundleDescription(source), scenarios), folder)
    expect(await writeFiles(folder, files, { check: true })).toEqual([])
  })

  it('keeps to the rules with its examples in it', async () => {
    await expect(lintDescription(`${folder}/openapi.json`)).resolves.toBeUndefined()
  })

  it('has the operations that there are routes for', () => {
    const described = routesOf(document).map(({ id, method, path }) => `${id}: ${method} ${path}`)
    const registered = Object.entries(routes).map(([id, { method, path }]) => `${id}: ${method} ${path}`)
    expect(registered).toEqual(described)
    for (const [id, { operationId }] of Object.entries(routes)) expect(operationId).toBe(id)
  })

  it('has the operations that there are handlers for', () => {
    expect(Object.keys(handlers).sort()).toEqual(Object.keys(routes).sort())
  })

  it('has an example of every request body and every answer', () => {
    const named = [...requestExamples(document), ...responseExamples(document)].map(({ where }) => where)
    const wanted = routesOf(document).flatMap(({ id, operation }) => [
      ...Object.keys(operation.responses ?? {}).map((status) => `${id} ${status}`),
      ...(operation.requestBody ? [`${id} request`] : []),
    ])
    const missing = wanted.filter((want) => !named.some((where) => where.startsWith(want)))
    expect(missing).toEqual([])
  })

  it.each(requestExamples(document))('has a request that both profiles take: $where', ({ route, value }) => {
    const lenient = routes[route.id]!.request!.body!.content['application/json']!.schema
    const documented = description.documentedBodies[route.id] ?? lenient
    expect(faultIn(lenient, value)).toBe(undefined)
    expect(faultIn(documented, value)).toBe(undefined)
  })

  it.each(routesOf(document).filter(({ parameters }) => parameters.length > 0))(
    'declares what an operation answers to a parameter that is refused: $id',
    ({ operation }) => {
      expect(Object.keys(operation.responses!)).toContain('400')
    },
  )

  it.each(responseExamples(document))(
    'has an answer that is as declared: $where',
    ({ route, status, headers, value }) => {
      const [type, { schema }] = Object.entries(routes[route.id]!.responses[status]!.content)[0]!
      expect(faultIn(schema, value)).toBe(undefined)
      const sent = Object.fromEntries(headers.map((header) => [header, 'sent']))
      checkAnswer(route.id, Number(status), { ...sent, 'content-type': type }, value)
    },
  )

  it.each(callbackExamples(document))(
    'has a callback body that is as declared: $where',
    ({ route, name, value }) => {
      expect(faultIn(description.callbacks[route.id]![name]!, value)).toBe(undefined)
      checkCallback(value, route.id)
    },
  )

  it.each(parameterExamples(document))(
    'has a parameter that is read: $where',
    ({ route, parameter, value }) => {
      const reader = readerOf(routes[route.id]!, parameter)
      expect(reader.parse(String(value))).toEqual(value)
    },
  )

  it.each(componentNames(document))(
    'describes every part of a schema, which takes its examples: %s',
    (name) => {
      const parts = schemaParts(document, name, schemas[name]!())
      const silent = parts.filter(({ description: text }) => !text)
      const refused = parts.flatMap(({ where, schema, reader }) =>
        schemaExamples(schema).flatMap(
          (example) => faultIn(reader, example)?.replace(/^/, `${where}: `) ?? [],
        ),
      )
      expect(silent.map(({ where }) => where)).toEqual([])
      expect(refused).toEqual([])
    },
  )
})
