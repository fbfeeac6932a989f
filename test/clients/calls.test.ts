import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createSandbox, SandboxError } from '../../src/index.ts'
import { type OpenApiDocument, type Parameter, resolve } from '../../openapi/document.ts'

/**
 * Writes the list of calls that every client outside JavaScript makes in its tests, in this order and in one new world: each
 * operation of the descriptions, with the parameters and the body of its first example, and the error code of the response.
 * `npx vitest run test/clients -u` updates it after a change of a description.
 */
const LIST = '../../clients/calls.json'

/** A stream that does not end, and an operation for strangers. Those of the administrator, who has other credentials, are left out too. */
const left = new Set(['streamEvents', 'signUp'])
const ADMIN = '/__admin/'
/** Operations that replace and end the world of the calls, in this order. */
const last = ['importWorld', 'deleteWorld']

type Json = Readonly<Record<string, unknown>>
interface Example {
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}
interface Call {
  readonly operation: string
  readonly parameters: Json
  readonly body?: unknown
  /** Empty if the request succeeds. */
  readonly code: string
}

const exampleOf = ({ example, examples = {} }: Example) => example ?? Object.values(examples)[0]?.value

/** Returns the calls with the paths of their operations. */
function* callsOf(document: OpenApiDocument): Generator<readonly [path: string, call: Omit<Call, 'code'>]> {
  for (const [path, item] of Object.entries(document.paths))
    for (const method of ['get', 'put', 'post', 'delete', 'patch'] as const) {
      const operation = item[method]
      const name = operation?.operationId
      if (!operation || name === undefined || left.has(name) || path.startsWith(ADMIN)) continue
      const declared = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((each) =>
        resolve<Parameter & Example>(document, each),
      )
      const query = declared.find((each) => each.in === 'query' && exampleOf(each) !== undefined)
      const used = declared.filter(
        (each) => each.in === 'path' || (each.in === 'query' && each.required) || each === query,
      )
      const parameters = Object.fromEntries(
        used.map((each) => [
          each.name,
          each.name === 'world' ? 'current' : each.name === 'timeout' ? '0' : exampleOf(each),
        ]),
      )
      const waits = declared.some(({ name }) => name === 'timeout') && { timeout: '0' }
      const content = (operation.requestBody as { content?: Record<string, Example> } | undefined)?.content
      const body = content?.['application/json'] && exampleOf(content['application/json'])
      yield [
        path,
        {
          operation: name,
          parameters: { ...parameters, ...waits },
          ...(body !== undefined && { body }),
        },
      ]
    }
}

it('lists a call of every operation, with the error code of its response', async () => {
  await using sandbox = await createSandbox({ clock: 'frozen' })
  const world = await sandbox.world()
  const read = async (path: string) => (await (await world.fetch(path)).json()) as OpenApiDocument
  const documents = [await read('/openapi.json'), await read('/sandbox/openapi.json')]
  const calls = documents.flatMap((document) => [...callsOf(document)])
  const made: Call[] = []
  const rank = ([, { operation }]: (typeof calls)[number]) => last.indexOf(operation)
  for (const [path, call] of calls.toSorted((a, b) => rank(a) - rank(b))) {
    const { operation, parameters, body } = call
    const inPath = ([name]: [string, unknown]) => path.includes(`{${name}}`)
    const code = await (world.call as (name: string, given: Json) => Promise<unknown>)(operation, {
      path: Object.fromEntries(Object.entries(parameters).filter(inPath)),
      query: Object.fromEntries(Object.entries(parameters).filter((each) => !inPath(each))),
      ...(body !== undefined && { body }),
    }).then(
      () => '',
      (error: unknown) => {
        if (error instanceof SandboxError) return error.code
        throw error
      },
    )
    made.push({ ...call, code })
  }
  expect(made.map((each) => JSON.stringify(each))).toHaveLength(calls.length)
  await expect(`[\n${made.map((each) => JSON.stringify(each)).join(',\n')}\n]\n`).toMatchFileSnapshot(LIST)
})

it('every client has the version of the package', () => {
  const version = /"version": "(.*)"/.exec(readFileSync('package.json', 'utf8'))![1]!
  const declared = {
    'clients/python/src/payments_sandbox/__init__.py': `__version__ = "${version}"`,
    'clients/go/client.go': `Version = "${version}"`,
    'clients/php/src/Client.php': `VERSION = '${version}'`,
    'clients/java/pom.xml': `<version>${version}</version>`,
    'clients/java/src/main/java/payments/sandbox/Sandbox.java': `VERSION = "${version}"`,
  }
  for (const [file, text] of Object.entries(declared))
    expect(readFileSync(file, 'utf8'), file).toContain(text)
})
