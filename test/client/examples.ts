/** Turns the examples in the docstrings of the library into a test. An example needs no import of the export it documents. */
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { formatted } from '../../openapi/formatted.ts'

const MODULES = {
  'payments-sandbox': 'index',
  'payments-sandbox/matchers': 'client/matchers',
  'payments-sandbox/receivers': 'callbacks/receivers/to-fetch',
  'payments-sandbox/certify': 'certify/library',
  'payments-sandbox/fidelity': 'fidelity/library',
}

export interface Export {
  readonly name: string
  /** The entry of the package that exports it. */
  readonly entry: string
  readonly isType: boolean
  /** The code of its `@example`, if any. */
  readonly example: string | undefined
}

/** Returns the handwritten exports of the library; the others are generated from the description. */
export const exportsOf = (): readonly Export[] =>
  Object.entries(MODULES).flatMap(([entry, module]) => exportsIn(module, entry))

function exportsIn(module: string, entry: string): readonly Export[] {
  const text = readFileSync(`src/${module}.ts`, 'utf8')
  const handedOn = [...text.matchAll(/^export (?:type )?(?:\*|\{([^}]*)\}) from '(\..*)\.ts'/gm)]
  const others = handedOn.flatMap(([, names, path]) => {
    const from = posix.join(posix.dirname(module), path!)
    const all = /^(client|callbacks)\//.test(from) ? exportsIn(from, entry) : []
    const named = names?.split(',').map((name) => name.trim().replace(/^type /, ''))
    return all.filter(({ name }) => named?.includes(name) ?? true)
  })
  return [...declarationsIn(text, entry), ...others]
}

function declarationsIn(text: string, entry: string): Export[] {
  const declared =
    /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?export (?:async )?(interface|type|class|const|function) (\w+)/g
  return [...text.matchAll(declared)].map(([, comment = '', kind, name]) => ({
    name: name!,
    entry,
    isType: kind === 'interface' || kind === 'type',
    example: /@example\n \* ```ts\n([^]*?)\n \* ```/.exec(comment)?.[1]?.replace(/^ \* ?/gm, ''),
  }))
}

/**
 * Returns the source of the test: one case for each example, in which `world` is a world with a delivered payment. A line
 * `expression // => value` becomes an assertion.
 */
export async function examplesTest(file: string): Promise<string> {
  const names = new Map<string, Set<string>>(Object.keys(MODULES).map((entry) => [entry, new Set<string>()]))
  names.set(
    'payments-sandbox',
    new Set(['connect', 'createSandbox', 'SandboxError', 'type Sandbox', 'type WorldClient']),
  )
  names.set('payments-sandbox/matchers', new Set(['matchers']))
  const outside: string[] = []
  const tests = exportsOf().flatMap(({ name, entry, isType, example = '' }) => {
    if (new RegExp(`\\b${name}\\b`).test(example)) names.get(entry)!.add(isType ? `type ${name}` : name)
    const code = example.replace(
      /^import (type )?\{ (.*) \} from '(.*)'\n+/gm,
      (_, type, list: string, entry: string) => {
        const used = names.get(entry) ?? new Set()
        names.set(entry, used)
        for (const each of list.split(', ')) used.add(type ? `type ${each}` : each)
        return ''
      },
    )
    if (code.startsWith('declare ')) outside.push(code)
    return code.startsWith('declare ') ? [] : [testOf(name, runnable(code))]
  })
  const imports = [...names].map(([entry, used]) => {
    const module = MODULES[entry as keyof typeof MODULES]
    const from = module === undefined ? entry : `../../src/${module}.ts`
    return `import { ${[...used].join(', ')} } from '${from}'`
  })
  const source = [
    '// Written by npm run generate from the docstrings of the library.',
    `import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'`,
    ...imports,
    outside.join('\n\n'),
    SETUP,
    ...tests,
  ].join('\n\n')
  return formatted(file, source)
}

const testOf = (name: string, code: string) =>
  code.includes('expect(')
    ? `it('${name}', async () => {\n${code}\n})`
    : `it('${name}', () => expect((async () => {\n${code}\n})()).resolves.toBeUndefined())`

const runnable = (code: string) =>
  code
    .replace(/^(\s*)(.+) \/\/ => (.+)$/gm, '$1expect($2).toEqual($3)')
    .replaceAll(`'http://127.0.0.1:8080'`, 'url')
    .replace(/'(\w+\.har|their-openapi\.json)'/g, `join(folder, '$1')`)

const SETUP = `
let running: Sandbox
let url: string
let world: WorldClient
const folder = temporaryFolder()

beforeAll(async () => {
  expect.extend(matchers)
  running = await createSandbox({ clock: 'frozen' })
  url = await running.listen()
  world = await connect(url).world()
  await world.fetch('/api/v2/payments', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      amount: 1000,
      phone_number: '0712345678',
      provider: 'm-pesa',
      network_code: '63902',
      account_id: 63,
      external_reference: 'order-1',
      callback_url: await world.inbox.url(),
    }),
  })
  await world.settle()
  const log = await world.fetch('/sandbox/requests/har')
  await writeFile(join(folder, 'session.har'), await log.text())
  const description = await world.fetch('/openapi.json')
  await writeFile(join(folder, 'their-openapi.json'), await description.text())
})
afterAll(() => running.close())
`
