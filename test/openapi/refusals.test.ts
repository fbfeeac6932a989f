import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { readDescription } from '../../openapi/read-description.ts'
import { renderDescription } from '../../openapi/render.ts'

let folder = ''
afterEach(() => rm(folder, { recursive: true }))

/** Generates from the fixture with one of its files replaced. */
async function generateWith(file: string, text: string) {
  folder = await mkdtemp(join(tmpdir(), 'description-'))
  await cp('test/openapi/fixtures/description', folder, { recursive: true })
  await writeFile(join(folder, file), text)
  const document = await readDescription(join(folder, 'openapi.yaml'))
  return renderDescription(document, 'src/generated/fixture')
}

it.each([
  ['an unknown keyword', 'type: integer\nmultipleOf: 3\n', '2:1: unknown schema keyword "multipleOf"'],
  [
    'an unknown keyword, deep inside',
    'type: object\nproperties:\n  a:\n    anyOf: [{ type: boolean }, { type: integer }]\n',
    '4:5: unknown schema keyword "anyOf"',
  ],
  [
    'an unknown keyword beside a reference',
    'type: object\nproperties:\n  a:\n    $ref: Paid.yaml\n    not: {}\n',
    '5:5: unknown schema keyword "not"',
  ],
  [
    'a constraint beside a reference',
    'type: object\nproperties:\n  a:\n    $ref: Paid.yaml\n    minLength: 3\n',
    '5:5: "minLength" means nothing beside "$ref"',
  ],
  [
    'a keyword of another type',
    'type: integer\nminLength: 3\n',
    '2:1: "minLength" means nothing for type integer',
  ],
  ['a constraint without a type', 'minimum: 3\n', '1:1: "minimum" means nothing without a type'],
  [
    'a constraint beside an enum',
    'type: integer\nenum: [1]\nminimum: 1\n',
    '3:1: "minimum" means nothing beside "enum"',
  ],
  [
    'an unknown format',
    'type: string\nformat: ipv4\n',
    '2:1: unknown format "ipv4"; known are date-time, date, uri, email, uuid',
  ],
  [
    'an object that says nothing of its fields',
    'type: object\n',
    'an object needs "properties" or "additionalProperties"',
  ],
  ['an array that says nothing of its items', 'type: array\n', 'an array needs "items"'],
  ['a text in place of no list', 'type: boolean\nx-also-text: 9\n', '2:1: x-also-text is for arrays'],
  ['a text without a limit', 'type: string\n', '1:1: a string needs "maxLength", or "x-unbounded"'],
  [
    'a text without a limit, deep inside',
    'type: object\nproperties:\n  a:\n    type: [string, "null"]\n',
    '4:5: a string needs "maxLength"',
  ],
  [
    'a field that is not used and does not say why',
    'type: object\nproperties: { a: { type: integer, x-unused: "" } }\n',
    'x-unused says in words why nothing depends on the field',
  ],
  [
    'a required field that is not there',
    'type: object\nproperties: { a: { type: integer } }\nrequired: [b]\n',
    '"b" is required but not among the properties',
  ],
  [
    'a field that only lenient requires',
    'type: object\nproperties: { a: { type: integer } }\nx-lenient-required: [a]\n',
    '3:1: "a" is required by lenient but not by documented',
  ],
  [
    'an allOf that merges',
    'allOf:\n  - $ref: Paid.yaml\n  - type: object\n    properties: { a: { type: integer } }\n',
    '1:1: allOf may hold one $ref and nothing else',
  ],
  [
    'an example that the schema refuses',
    'type: integer\nexample: a\n',
    '2:10: Example value must conform to the schema',
  ],
  ['broken YAML', 'type: integer\n  a: : b\n', 'Level.yaml:2:4: Failed to parse'],
])('%s stops the run at its line', async (_, text, message) => {
  const run = generateWith('schemas/Level.yaml', text)
  await expect(run).rejects.toThrow(/schemas\/Level\.yaml:\d+:\d+: /)
  await expect(run).rejects.toThrow(message)
})

it.each([
  [
    'a list',
    'ids: { type: array, items: { type: integer, format: int64 } }',
    '#/components/schemas/Customer/properties/ids: an array of a request needs "maxItems"',
  ],
  [
    'a map',
    'ids: { type: object, additionalProperties: { type: integer, format: int64 } }',
    '#/components/schemas/Customer/properties/ids: a map of a request needs "maxProperties", and "maxLength" of its "propertyNames"',
  ],
])('%s without a limit in a request stops the run', async (_, field, message) => {
  const others = '  name: { type: string, maxLength: 9 }\n  phone: { type: string, maxLength: 19 }\n'
  const run = generateWith('schemas/Customer.yaml', `type: object\nproperties:\n${others}  ${field}\n`)
  await expect(run).rejects.toThrow(message)
})

it('reports every error, not only the first', async () => {
  const run = generateWith('schemas/Level.yaml', 'type: string\nmultipleOf: 3\nuniqueItems: true\n')
  await expect(run).rejects.toThrow(/multipleOf[^]*uniqueItems/)
})

it.each([
  [
    'schemas that refer to each other in a circle',
    'schemas/Customer.yaml',
    'type: object\nproperties:\n  name: { type: string, maxLength: 9 }\n  phone: { type: string, maxLength: 19 }\n  order: { $ref: Order.yaml }\n',
    'in a circle: Order -> Customer -> Order',
  ],
  ['a reference to no file', 'schemas/Customer.yaml', '$ref: Nobody.yaml\n', "Can't resolve $ref"],
  [
    'a callback without a JSON body',
    'callbacks/orderPaid.yaml',
    "'{$request.body#/callback_url}':\n  post:\n    summary: Paid\n    responses: { 2XX: { description: Received. } }\n",
    'createOrder: callback orderPaid needs an application/json body with a schema',
  ],
  [
    'a callback of two requests',
    'callbacks/orderPaid.yaml',
    "'{$request.body#/callback_url}':\n  post:\n    summary: Paid\n    responses: { 2XX: { description: Received. } }\n  put:\n    summary: Paid\n    responses: { 2XX: { description: Received. } }\n",
    'createOrder: callback orderPaid must be one request, not 2',
  ],
])('%s stops the run', async (_, file, text, message) => {
  await expect(generateWith(file, text)).rejects.toThrow(message)
})

const oneOperation = (operation: string) => `openapi: 3.1.1
info: { title: Orders, version: 1.0.0, license: { name: MIT, identifier: MIT } }
servers: [{ url: / }]
security: []
paths:
  /orders:
    get:
      summary: List
${operation.replaceAll(/^/gm, '      ')}
`

it.each([
  ['an operation without an id', 'responses: { 200: { description: Listed. } }', 'operationId'],
  [
    'a success without a content',
    'operationId: list\nresponses: { 200: { description: Listed. } }',
    'list: response 200 needs a content; only refusals have a shared one',
  ],
  [
    'a refusal without a content where no Error is',
    'operationId: list\nresponses: { 200: { description: Listed., content: { text/plain: { schema: { type: string, maxLength: 9 } } } }, 400: { description: Refused. } }',
    'list: response 400 has no content, and there is no schema Error to take its place',
  ],
  [
    'an array in the query',
    'operationId: list\nparameters: [{ name: ids, in: query, schema: { type: array, items: { type: integer, format: int64 } } }]\nresponses: { 200: { description: Listed. } }',
    'list: parameter ids: a parameter is a string, an integer, a number or a boolean, not array',
  ],
  [
    'a cookie',
    'operationId: list\nparameters: [{ name: id, in: cookie, schema: { type: integer, format: int64 } }]\nresponses: { 200: { description: Listed. } }',
    'list: parameter id: cookies are not read',
  ],
])('%s stops the run', async (_, operation, message) => {
  await expect(generateWith('openapi.yaml', oneOperation(operation))).rejects.toThrow(message)
})
