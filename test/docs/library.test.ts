/** The programs in the guide to the library, run as they stand there. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Hono } from 'hono'
import { afterEach, expect, it } from 'vitest'
import * as library from '../../src/index.ts'
import * as matchers from '../../src/client/matchers.ts'
import * as receivers from '../../src/callbacks/receivers/to-fetch.ts'

const modules: Readonly<Record<string, object>> = {
  'payments-sandbox': library,
  'payments-sandbox/matchers': matchers,
  'payments-sandbox/receivers': receivers,
}

const programs = [...readFileSync('docs/library.md', 'utf8').matchAll(/^```js\n([^]*?)^```/gm)].map(
  ([, code]) => code!,
)

/** Those that are not closed at the end of a program. */
const opened: library.Sandbox[] = []
afterEach(async () => {
  for (const sandbox of opened.splice(0)) await sandbox.close()
})

/** What the programs take for given. */
async function given() {
  const sandbox = await library.createSandbox()
  opened.push(sandbox)
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
    expressApp: createServer((_, response) => response.end()),
    sandbox,
  }
}

/** Runs a program as it stands, with the names for which it has none of its own. */
async function run(code: string): Promise<void> {
  const free = Object.entries(await given()).filter(([name]) => !new RegExp(`const ${name}\\b`).test(code))
  const body = code.replace(/^import (\{.*\}) from '(.*)'$/gm, `const $1 = modules['$2']`)
  const Program = Object.getPrototypeOf(given).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<void>
  await new Program('modules', ...free.map(([name]) => name), body)(
    modules,
    ...free.map(([, value]) => value),
  )
}

it('the guide has programs', () => expect(programs.length).toBeGreaterThan(2))

it.each(programs)('program %# of the guide runs as it stands', async (code) => {
  await expect(run(code)).resolves.toBeUndefined()
})
