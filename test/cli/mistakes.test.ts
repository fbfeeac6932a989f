import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandLine, ended } from './process.ts'

const folder = await mkdtemp(join(tmpdir(), 'mistakes-'))
let running: ReturnType<typeof commandLine>
let port = ''

beforeAll(async () => {
  running = commandLine(['start', '--port', '0', '--json'])
  await running.shown('"listening"')
  port = String(JSON.parse(running.printed.out.split('\n')[0]!).port)
  await ended(['pay', '--reference', 'order-1', '--for', '0'], { SANDBOX_PORT: port })
})
afterAll(async () => {
  running.stop()
  await running.code
  await rm(folder, { recursive: true })
})

/** Mistakes of newcomers, with the exit code and the message. USED is the port of a running sandbox, and FOLDER an empty folder. */
const mistakes: readonly (readonly [line: string, code: number, message: string])[] = [
  ['strat', 2, 'there is no command strat (did you mean start?). See payments-sandbox --help.'],
  ['help strat', 2, 'there is no command strat (did you mean start?). See payments-sandbox --help.'],
  ['xyzzyx', 2, 'there is no command xyzzyx. See payments-sandbox --help.'],
  ['--prot 1', 2, 'there is no option --prot (did you mean --port?). See payments-sandbox start --help.'],
  [
    'start --callback-timout 1s',
    2,
    'there is no option --callback-timout (did you mean --callback-timeout?). See payments-sandbox start --help.',
  ],
  ['--port 80x', 2, '--port must be a whole number from 0 to 65535, got "80x"'],
  [
    '--port USED',
    3,
    'port USED is in use; set SANDBOX_PORT (--port) to another one, or to 0 for any free one',
  ],
  [
    'dev --port USED',
    3,
    'port USED is in use; set SANDBOX_PORT (--port) to another one, or to 0 for any free one',
  ],
  [
    '--port 0 --seed-file /nowhere.yaml',
    3,
    '/nowhere.yaml: no such file; pass the path of a YAML or JSON file, or omit it to use the built-in seed',
  ],
  [
    'pay --url http://127.0.0.1:1024',
    4,
    'nothing listens at http://127.0.0.1:1024; start a sandbox there, or pass its address with --url',
  ],
  [
    'healthcheck --url localhost:8080',
    2,
    '--url must be an address such as http://127.0.0.1:8080, got "localhost:8080"',
  ],
  ['pay --user demo', 2, '--user must be a name and a password, such as demo:demo, got "demo"'],
  ['pay --user demo:wrong', 1, 'http://127.0.0.1:USED rejects the user "demo" with this password.'],
  [
    'pay --outcome payer-cancel',
    1,
    'outcome "payer-cancel" does not exist (did you mean payer-cancels?); GET /sandbox/scenarios lists all',
  ],
  [
    'pay --outcome callback-twise',
    1,
    'outcome "callback-twise" does not exist (did you mean duplicate-callback?); GET /sandbox/scenarios lists all',
  ],
  [
    'pay --outcome recipient-not-found',
    1,
    'outcome recipient-not-found is of payouts: pay out instead of collecting (direction payout)',
  ],
  ['pay --amount much', 2, '--amount must be a number such as 100 or 99.50, got "much"'],
  ['pay --amount', 2, '--amount needs a value: --amount <amount>'],
  ['pay --amount 0', 1, 'amount must be more than 0, got 0'],
  [
    'pay --callback-url ftp://shop',
    2,
    '--callback-url must be an address such as http://127.0.0.1:8080, got "ftp://shop"',
  ],
  ['pay order-2', 2, 'pay does not take the argument "order-2". See payments-sandbox pay --help.'],
  [
    'trigger',
    2,
    'trigger needs <scenario>: its name, see scenarios list, or a scenario file of the sandbox. See payments-sandbox trigger --help.',
  ],
  [
    'trigger payer-cancls',
    2,
    'there is no outcome payer-cancls (did you mean payer-cancels?). See payments-sandbox scenarios list.',
  ],
  ['explain order-l', 1, 'there is no request or payment order-l in this world (did you mean order-1?)'],
  ['clock advance 3', 2, '<duration> must be a duration with a unit, such as 3s, 3m or 3ms, got "3"'],
  [
    'worlds delete',
    2,
    'worlds delete needs <world>: its id, or current for the world of the key. See payments-sandbox worlds delete --help.',
  ],
  ['listen', 2, 'pass the destination of callbacks with --forward-to <address> or --route <what=address>'],
  ['resend', 2, 'name the callbacks to resend, or pass --failed'],
  [
    'logs tail --only callback',
    2,
    '--only must be one of requests, callbacks (did you mean callbacks?), got "callback"',
  ],
  [
    'init FOLDER',
    1,
    'FOLDER contains none of package.json, pyproject.toml, requirements.txt, pom.xml, go.mod and composer.json; run init in the folder of your project',
  ],
]

describe('the message names the mistake and the remedy', () => {
  it.each(mistakes)('%s', async (line, code, message) => {
    const complete = (text: string) => text.replaceAll('USED', port).replaceAll('FOLDER', folder)
    const env = { SANDBOX_PORT: port }
    const { out: _, ...result } = await ended(complete(line).split(' '), env)
    expect(result).toEqual({ code, err: `${complete(message)}\n` })
  })
})

it('prints a stable code to programs', async () => {
  const codeOf = async (...args: string[]) =>
    JSON.parse((await ended([...args, '--json'], { SANDBOX_PORT: port })).err).error_code
  expect(
    await Promise.all([
      codeOf('strat'),
      codeOf('pay', '--amout', '1'),
      codeOf('pay', '--amount', 'much'),
      codeOf('trigger'),
      codeOf('pay', 'order-2'),
      codeOf('listen'),
      codeOf('pay', '--outcome', 'payer-cancel'),
      codeOf('pay', '--user', 'demo:wrong'),
      codeOf('pay', '--url', 'http://127.0.0.1:1024'),
      codeOf('init', folder),
    ]),
  ).toEqual([
    'unknown_command',
    'unknown_option',
    'invalid_argument',
    'missing_argument',
    'unexpected_argument',
    'missing_option',
    'resource_not_found',
    'unauthenticated',
    'unreachable',
    'failed',
  ])
})

describe('PAYMENTS_SANDBOX_URL is the default of --url', () => {
  it('with PAYMENTS_SANDBOX_USERNAME and _PASSWORD', async () => {
    const url = `http://127.0.0.1:${port}`
    const env = { PAYMENTS_SANDBOX_URL: `${url}/`, SANDBOX_PORT: '1' }
    expect(await ended(['healthcheck'], env)).toEqual({ code: 0, out: `ready: ${url}\n`, err: '' })
    const named = { ...env, PAYMENTS_SANDBOX_USERNAME: 'demo+named', PAYMENTS_SANDBOX_PASSWORD: 'wrong' }
    expect(await ended(['settle'], { ...named, SANDBOX_API_USERNAME: 'other' })).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${url} rejects the user "demo+named" with this password`),
    })
    expect(await ended(['settle'], { ...named, PAYMENTS_SANDBOX_PASSWORD: 'demo' })).toMatchObject({
      code: 0,
    })
  })

  it('and has no effect on an explicit address', async () => {
    const env = { PAYMENTS_SANDBOX_URL: 'localhost:8080' }
    const url = `http://127.0.0.1:${port}`
    expect(await ended(['settle', '--url', url], env)).toMatchObject({ code: 0, err: '' })
  })

  it.each(['settle', 'healthcheck', 'mcp', 'export --all', 'certify --passive'])(
    'and %s rejects another value',
    async (line) => {
      const result = await ended(line.split(' '), { PAYMENTS_SANDBOX_URL: 'localhost:8080' })
      const err =
        'PAYMENTS_SANDBOX_URL must be an address such as http://127.0.0.1:8080, got "localhost:8080"\n'
      expect(result).toEqual({ code: 2, out: '', err })
    },
  )
})
