/** Runs the programs on the pages as they are written. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { Hono } from 'hono'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import * as library from '../../src/index.ts'
import { readProfile } from '../../src/certify/read-profile.ts'
import * as matchers from '../../src/client/matchers.ts'
import * as receivers from '../../src/callbacks/receivers/to-fetch.ts'
import { blocksOf, stepByStep } from './pages.ts'

const programs = ['docs/library.md', ...stepByStep]
  .flatMap(blocksOf)
  .filter(({ language, suite, reason }) => language === 'js' && suite === undefined && reason === undefined)

type Step = (fixtures?: object) => unknown
const closing: Step[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A test runner for the tests on the pages. */
function testRunner() {
  const steps = { before: [] as Step[], tests: [] as Step[], after: [] as Step[] }
  const before = (step: Step) => void steps.before.push(step)
  const after = (step: Step) => void steps.after.push(step)
  const test = (_: string, step: Step) => void steps.tests.push(step)
  return {
    steps,
    globals: { beforeAll: before, before, afterAll: after, after, test, it: test },
    async run(fixtures: object) {
      for (const step of [...steps.before, ...steps.tests, ...steps.after]) await step(fixtures)
      return steps.tests.length
    },
  }
}

/** The names that a program may use without defining them. */
async function given() {
  const sandbox = await library.createSandbox({ clock: 'frozen' })
  closing.push(() => sandbox.close())
  const takePayment = async ({
    fetch,
    authorization,
  }: {
    fetch: typeof globalThis.fetch
    authorization: string
  }) =>
    fetch('/api/v2/payments', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({
        amount: 100,
        phone_number: '0712345678',
        provider: 'm-pesa',
        network_code: '63902',
        account_id: 63,
        external_reference: 'order-1',
        callback_url: `${sandbox.url}/sandbox/inbox/default?key=own`,
      }),
    })
  return {
    expect,
    takePayment,
    Hono,
    app: new Hono().post('/callbacks', (context) => context.body(null, 204)),
    expressApp: http.createServer((_, response) => response.end()),
    sandbox,
    world: await sandbox.world(),
  }
}

/** Runs a program with the names that it does not define. @returns how many tests the program contains */
async function run(code: string): Promise<number> {
  const runner = testRunner()
  const modules: Readonly<Record<string, object>> = {
    'payments-sandbox/vitest': { ...runner.globals, expect },
    'payments-sandbox/jest': runner.globals,
    'payments-sandbox/node-test': runner.globals,
    'payments-sandbox': library,
    'payments-sandbox/matchers': matchers,
    'payments-sandbox/receivers': receivers,
    'node:assert/strict': { default: assert },
    'node:http': {
      createServer: (listener: http.RequestListener) => {
        const server = http.createServer(listener)
        closing.push(() => server.close())
        return server
      },
    },
    'node:test': runner.globals,
    vitest: { ...runner.globals, expect },
  }
  const body = code
    .replace(/^import (\{.*\}) from '(.*)'$/gm, `const $1 = require('$2')`)
    .replace(/^import (\w+) from '(.*)'$/gm, `const { default: $1 } = require('$2')`)
    .replaceAll('await import(', 'require(')
    .replaceAll('9000', '0')
  const names = { ...runner.globals, ...(await given()), require: (name: string) => modules[name] }
  const free = Object.entries(names).filter(
    ([name]) => !new RegExp(`(?:const|let) (?:${name}\\b|\\{[^}]*\\b${name}\\b)`).test(body),
  )
  const Program = Object.getPrototypeOf(given).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<void>
  await new Program(...free.map(([name]) => name), body)(...free.map(([, value]) => value))
  return runner.run({ world: names.world })
}

it.each(programs.map((each) => [each.page, each.code.split('\n').slice(0, 3).join(' '), each] as const))(
  'runs the program of %s: %s',
  async (page, _, { code }) => {
    expect(await run(code)).toBe(page === 'docs/first-test.md' ? 1 : 0)
  },
)

it('finds programs', () => {
  expect(new Set(programs.map(({ page }) => page)).size).toBeGreaterThan(3)
  expect(programs.filter(({ page }) => page === 'docs/first-test.md')).toHaveLength(3)
})

it('writes the first test in at most ten lines in every language', () => {
  const [, tests] = readFileSync('docs/first-test.md', 'utf8').split('## Write the test')
  const lines = blocksOf('docs/first-test.md')
    .filter(({ code }) => tests!.includes(code) && !code.startsWith('npm'))
    .map(({ language, code }) => [language, code.split('\n').filter((line) => line.trim() !== '').length])
  expect(lines).toHaveLength(7)
  for (const [language, count] of lines) expect(count, String(language)).toBeLessThanOrEqual(10)
})

describe('docs/go-live.md', () => {
  const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
  const code = (language: string) =>
    blocksOf('docs/go-live.md').find((each) => each.language === language)!.code
  const body = '{"status":"success"}'
  const sign = (at: number) => {
    const signed = `msg_1.${at}.${body}`
    const signature = createHmac('sha256', Buffer.alloc(24, 7)).update(signed).digest('base64')
    return { 'webhook-id': 'msg_1', 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` }
  }
  const now = Math.floor(Date.now() / 1000)
  const cases = [
    ['a genuine callback', sign(now), body, true],
    ['a changed body', sign(now), body.replace('success', 'failed'), false],
    ['an old callback', sign(now - 301), body, false],
    ['a callback without a signature', {}, body, false],
    ['a callback of a strange date', { ...sign(now), 'webhook-timestamp': 'now' }, body, false],
    ['a signature of other characters', { ...sign(now), 'webhook-signature': 'v1,é' }, body, false],
  ] as const

  it.each(cases)('verifies %s in JavaScript', (_, headers, sent, genuine) => {
    const source = code('js')
      .replace(/^import .*$/gm, '')
      .replace('export ', '')
    const verify = new Function('Webhook', 'process', `${source}; return verify`)(Webhook, {
      env: { SIGNING_SECRET: SECRET },
    })
    const verified = () => {
      try {
        return verify(headers, sent)
      } catch {
        return undefined
      }
    }
    expect(verified()).toEqual(genuine ? { status: 'success' } : undefined)
  })

  it.runIf(spawnSync('python3', ['--version']).status === 0).each(cases)(
    'verifies %s in Python',
    (_, headers, sent, genuine) => {
      const call = `print(verify("${SECRET}", ${JSON.stringify(headers)}, b'${sent}'))`
      const { stdout, stderr } = spawnSync('python3', ['-c', `${code('python')}\n${call}`], {
        encoding: 'utf8',
      })
      expect([stdout, stderr]).toEqual([genuine ? 'True\n' : 'False\n', ''])
    },
  )
})

describe('docs/receive-callbacks.md', () => {
  it('has a receiver that responds 200 to a callback', async () => {
    const source = blocksOf('docs/receive-callbacks.md').find(({ code }) =>
      code.startsWith('// receiver.mjs'),
    )!.code
    const printed: string[] = []
    const server = new Function(
      'createServer',
      'console',
      `return ${source
        .replace(/^(\/\/|import) .*$/gm, '')
        .trim()
        .replace('9000', '0')}`,
    )(http.createServer, { log: (...words: string[]) => printed.push(words.join(' ')) }) as http.Server
    closing.push(() => server.close())
    await new Promise((resolve) => server.on('listening', resolve))
    const { port } = server.address() as AddressInfo
    const { status } = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' })
    expect([status, printed]).toEqual([200, ['callback: {}']])
  })
})

describe('docs/certify.md', () => {
  it('has a profile that certify accepts, with the endpoints of the shop in examples/vitest', async () => {
    const [yaml] = blocksOf('docs/certify.md').filter(({ language }) => language === 'yaml')
    const file = 'examples/vitest/certify.yaml'
    const [shown, used] = await Promise.all([
      readProfile('certify.yaml', yaml!.code),
      readProfile(file, readFileSync(file, 'utf8')),
    ])
    expect(shown.trigger).toEqual(used.trigger)
    expect(shown.probe).toEqual(used.probe)
  })
})
