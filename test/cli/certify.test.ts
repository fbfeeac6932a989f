/** What `certify` says to whoever has only begun. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Certification } from '../../src/certify/certification.ts'
import { readProfile } from '../../src/certify/read-profile.ts'
import { createSandbox } from '../../src/index.ts'
import { ended, listening } from './process.ts'

/** An address at which nothing listens. */
async function nowhere(): Promise<string> {
  const { port, close } = await listening(createServer())
  await close()
  return `http://127.0.0.1:${port}`
}

async function profile(text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'certify-')), 'certify.yaml')
  await writeFile(file, text)
  return file
}

it('init prints a draft profile if no sandbox answers, and reports that', async () => {
  const url = await nowhere()
  const { code, out, err } = await ended(['certify', 'init', '--url', url])
  expect({ code, err }).toEqual({
    code: 4,
    err: `nothing listens at ${url}: the profile below contains default values\n`,
  })
  expect(await readProfile('certify.yaml', out)).toMatchObject({ profile: 'my-shop', sandbox: undefined })
})

it('init prints a profile based on the sandbox’s requests', async () => {
  await using sandbox = await createSandbox()
  await sandbox.listen(0)
  await trigger(sandbox.url, 'demo+init')
  const { code, out, err } = await ended([
    'certify',
    'init',
    '--url',
    sandbox.url,
    '--user',
    'demo+init:demo',
  ])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain('Based on 1 request of the world demo+init.')
  expect(await readProfile('certify.yaml', out)).toMatchObject({ sandbox: sandbox.url, isolation: 'shared' })
})

it('exits with 2 for an empty or missing profile, with a hint', async () => {
  const empty = await profile('')
  const { code, err } = await ended(['certify', '--profile', empty])
  expect({ code, err }).toEqual({
    code: 2,
    err: `${empty}: the file is empty; payments-sandbox certify init prints a draft\n`,
  })
  expect(await ended(['certify', '--profile', `${empty}.not`])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/there is no such file; payments-sandbox certify init prints a draft/),
  })
})

it('exits with 4 and the address if the profile’s sandbox does not answer', async () => {
  const url = await nowhere()
  const file = await profile(`profile: shop\nsandbox: ${url}\n`)
  const unreachable = {
    code: 4,
    err: expect.stringContaining(
      `nothing listens at ${url}; start a sandbox there, or remove the address, so that certify starts one\n`,
    ),
  }
  expect(await ended(['certify', '--profile', file])).toMatchObject(unreachable)
  const without = await profile('profile: shop\n')
  const env = { PAYMENTS_SANDBOX_URL: url }
  expect(await ended(['certify', '--profile', without], env)).toMatchObject(unreachable)
  const { code: passive, err: said } = await ended(['certify', '--passive', '--url', url])
  expect({ passive, said }).toEqual({ passive: 4, said: `nothing listens at ${url}\n` })
})

it('exits with 4 if the sandbox rejects a request, and names other keys of that world', async () => {
  const refusing = createServer((_, answer) => {
    answer.writeHead(409, { 'content-type': 'application/json' })
    answer.end('{"error_message":"it cannot become success"}')
  })
  const { port, close } = await listening(refusing)
  const { code, err } = await ended([
    'certify',
    '--profile',
    await profile(`profile: shop\nsandbox: http://127.0.0.1:${port}\nuser: demo+mine:demo\n`),
  ])
  await close()
  expect(code).toBe(4)
  expect(err).toContain(
    'it cannot become success\nIf other programs, such as a test suite, use the world of "demo+mine", run certify in another one',
  )
})

it('exits with 2 for a read-only key, and names the required one', async () => {
  await using sandbox = await createSandbox()
  await sandbox.listen(0)
  const file = await profile(`profile: shop\nsandbox: ${sandbox.url}\nuser: viewer:viewer\n`)
  const { code, err } = await ended(['certify', '--profile', file])
  expect(code).toBe(2)
  expect(err).toContain('A run controls its world, which "viewer" may not: use the key of the world\'s owner')
})

it('stops at once if the trigger makes no payment, and writes reports into new folders', async () => {
  const file = await profile(`profile: shop
receiver: { url: '${await nowhere()}/callback' }
port: 0
client: { patience: 500ms }
trigger: { command: 'true' }
probe: { command: 'echo "{}"', read: { state: $.state } }
`)
  const report = join(file, '../reports/of/today.json')
  const { code, out } = await ended(['certify', '--profile', file, '--report', `json=${report}`])
  expect(code).toBe(3)
  expect(out).toMatch(
    /there was no payment of \d+ within 2000 ms; does it pay to http:\/\/127\.0\.0\.1:\d+, as demo\?/,
  )
  expect(out).toContain('Start with the trigger and the probe of the profile.')
  const { probe, checks } = JSON.parse(await readFile(report, 'utf8')) as Certification
  expect(probe).toMatchObject({ usable: false })
  expect(checks.filter(({ exchanges }) => exchanges.length > 0)).toEqual([])
})

describe('--passive', () => {
  const passive = async (...flags: readonly string[]) => {
    const sandbox = await createSandbox()
    try {
      await sandbox.listen(0)
      const pay = (user: string) => trigger(sandbox.url, user)
      await pay('demo+ci')
      const { code, out, err } = await ended(['certify', '--url', sandbox.url, ...flags])
      return { code, first: out.split('\n')[0], err: err.replaceAll(sandbox.url, 'URL') }
    } finally {
      await sandbox.close()
    }
  }
  const judged = (world: string) => ({ code: 0, first: expect.stringContaining(`${world}, by the`), err: '' })

  it.each([
    [['--passive', 'demo+ci'], 'demo+ci'],
    [['--passive', '+ci'], 'demo+ci'],
    [['--passive', '--user', 'demo+ci:demo'], 'demo+ci'],
    [['--passive', 'demo+ci', '--user', 'demo+other:demo'], 'demo+ci'],
  ])('judges the selected world: %j', async (flags, world) => {
    expect(await passive(...flags)).toEqual(judged(world))
  })

  it.each(['nonsense', 'nonsense+ci'])('2 for a world that the key does not lead to: %s', async (world) => {
    expect(await passive('--passive', world)).toEqual({
      code: 2,
      first: '',
      err: `--passive "${world}": the key belongs to the world demo; name a world of the same key, such as demo+ci, or pass the key of the world with --user\n`,
    })
  })

  it('exits with 2 for a world of another key, without revealing it', async () => {
    await using sandbox = await createSandbox()
    await sandbox.listen(0)
    const { username, password } = await sandbox.home.apiKeys.create({ account_id: 63, role_id: 4 })
    const flags = ['--url', sandbox.url, '--user', `${username}:${password}`]
    expect(await ended(['certify', '--passive', 'demo+ci', ...flags])).toMatchObject({
      code: 2,
      err: '--passive "demo+ci": the key belongs to the world demo; pass the key of the world with --user\n',
    })
  })

  it('exits with 2 for a wrong password', async () => {
    const { code, err } = await passive('--passive', '--user', 'demo:wrong')
    expect({ code, err }).toEqual({ code: 2, err: 'URL rejects the user "demo" with this password.\n' })
  })

  it('exits with 3 for an unused world', async () => {
    const { code, err } = await passive('--passive', 'demo+c1')
    expect({ code, err }).toEqual({
      code: 3,
      err: 'The request log of the world demo+c1 contains no request of a shop: did the tests use another world?\n',
    })
  })
})

/** A payment, as a shop makes it. */
async function trigger(url: string, user: string): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${user}:demo`).toString('base64')}`
  const body = { amount: 100, phone_number: '0712345678', provider: 'm-pesa', network_code: '63902' }
  const headers = { authorization, 'content-type': 'application/json', 'user-agent': 'kiosk/1.0' }
  const sent = { method: 'POST', headers, body: JSON.stringify({ ...body, external_reference: 'order-1' }) }
  expect((await fetch(`${url}/api/v2/payments`, sent)).status).toBe(201)
}

it('explain lists a group and describes a check', async () => {
  const { code, out } = await ended(['certify', 'explain', 'sec'])
  expect({ code, lines: out.split('\n').slice(0, 2) }).toEqual({
    code: 0,
    lines: ['Security', '  SEC-1  Sends credentials in the Authorization header only'],
  })
  expect((await ended(['certify', 'explain', 'SEC-6'])).err).toMatch(/SEC-6 is not a check/)
})

it('exits with 4 if its port is in use, and describes how to use the running sandbox', async () => {
  const taken = await listening(createServer())
  const file = await profile(`profile: shop\nport: ${taken.port}\n`)
  const { code, err } = await ended(['certify', '--profile', file])
  await taken.close()
  expect({ code, err }).toEqual({
    code: 4,
    err: `Port ${taken.port} is in use, so certify cannot start a sandbox. To use a running sandbox, set --url http://127.0.0.1:${taken.port} or sandbox in the profile; otherwise set another port in the profile.\n`,
  })
})
