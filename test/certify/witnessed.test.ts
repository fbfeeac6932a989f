/** Runs that the sandbox itself executes and signs, as a stranger calls a hosted sandbox that demands a plan. */
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Certification } from '../../src/certify/certification.ts'
import { CheckedSignature, readKeys, readReport } from '../../src/certify/verify.ts'
import { createSandbox, type WorldClient } from '../../src/index.ts'
import { ended as commandEnded } from '../cli/process.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hosted } from '../support/sandbox.ts'
import { careful, type Habits } from './shop/habits.ts'
import { mutants } from './shop/mutants.ts'
import { createShop } from './shop/shop.ts'
import { memoryStore } from './shop/store.ts'

const PLAN = 'checkout-kes-2026.1'
const ORIGIN = 'https://shop.example'
const SECRET = 'whsec_d2l0bmVzc2VkLXJ1bnMtb2YtY2VydGlmeS1zaG9wISE='
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const SANDBOX_CERTIFICATION_KEY = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString()

let habits: Partial<Habits> = {}
let token = ''
const store = memoryStore()
const env = {
  LOG_LEVEL: 'error',
  ...hosted,
  SANDBOX_CERTIFICATION_KEY,
  SANDBOX_CERTIFICATION_PLAN: PLAN,
  SANDBOX_DB: join(temporaryFolder(), 'rows.json'),
}
const open = () => createSandbox({ env, receivers: { [ORIGIN]: (request) => receive(request) } })
let sandbox = await open()
const shopWith = () =>
  createShop({
    account: { baseUrl: 'https://sandbox.invalid', authorization: '', callbackUrl: `${ORIGIN}/callback` },
    store,
    secrets: [SECRET],
    fetch: (request) => sandbox.fetch(request),
    patience: { pause: 150, tries: 4, firstLook: 1_000, looks: 4, response: 5_000 },
    habits,
  })
let shop = shopWith()
afterAll(async () => {
  shop.stop()
  await sandbox.close()
})

async function receive(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === '/test/restart') {
    shop.stop()
    shop = shopWith()
    return new Response(null, { status: 204 })
  }
  if (pathname.startsWith('/test/')) token = request.headers.get('x-shop-token') ?? ''
  return shop.fetch(request)
}

const headers = { 'x-shop-token': '${env.SHOP_TOKEN}' }
const profile = {
  profile: 'shop',
  version: '2.4.0',
  receiver: { url: `${ORIGIN}/callback`, within: '2s', secret: SECRET },
  client: { patience: '1200ms', finds_out: '5s', slow: '1600ms' },
  features: ['collect', 'reversals', 'status-queries'],
  trigger: {
    http: {
      url: `${ORIGIN}/test/checkout`,
      headers,
      body: {
        order: '${order}',
        amount: '${amount}',
        phone: '${phone}',
        baseUrl: '${sandbox}',
        authorization: '${authorization}',
        callbackUrl: '${callback}',
      },
    },
  },
  probe: {
    http: { url: `${ORIGIN}/test/orders/\${order}`, headers },
    read: { state: '$.status', fulfilled: '$.deliveries', amount: '$.paid' },
    means: { open: ['waiting'], failed: ['failed', 'refused'], flagged: ['unclear'] },
  },
  restart: { http: { url: `${ORIGIN}/test/restart` } },
}
const run = { profile, plan: PLAN, variables: { SHOP_TOKEN: 'a-token-of-the-shop' } }

async function ended(world: WorldClient, id: number) {
  for (;;) {
    const found = await world.certifications.run(id)
    if (found.state !== 'running') return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const refusalOf = (body: object) =>
  sandbox.home.certifications.start({ ...run, ...body }).then(
    () => 'accepted',
    (error: Error) => error.message,
  )

const LIMIT = 180_000

describe('a witnessed run of a plan', () => {
  const world = sandbox.home
  let report: Awaited<ReturnType<WorldClient['certifications']['get']>>
  let certification: Certification

  it('ends with a signed report of the checks of the plan', { timeout: LIMIT }, async () => {
    const begun = await world.certifications.start(run)
    expect(begun).toMatchObject({ subject: 'shop', plan: PLAN, state: 'running', of: 52, report: null })
    const found = await ended(world, begun.id)
    expect(found).toMatchObject({ state: 'finished', done: 52, left_ms: null })
    report = await world.certifications.get(found.report!)
    const read = readReport(JSON.stringify(report))
    expect(CheckedSignature.of(read, readKeys(pem), 'here', 0)).toBeInstanceOf(CheckedSignature)
    certification = read.certification
    const failed = certification.checks.filter(({ verdict }) => !['pass', 'not_applicable'].includes(verdict))
    expect(failed.map(({ id, observed }) => `${id}: ${observed}`)).toEqual([])
    expect(certification).toMatchObject({
      subject: 'shop',
      shop_version: '2.4.0',
      mode: 'active',
      plan: { name: PLAN, checks: 52, waivers: false },
      witness: { run: begun.id },
      summary: { standing: 'ready' },
    })
    const days = (Date.parse(certification.expires_at!) - Date.parse(certification.ended_at)) / 86_400_000
    expect(days).toBe(180)
    expect(certification.witness!.claimed).toContain('RCV-10')
    expect(certification.witness!.claimed).not.toContain('RCV-2')
  })

  it('contains what was sent and answered, and no secret', () => {
    const { exchanges } = certification.checks.find(({ id }) => id === 'RCV-2')!
    expect(exchanges.map(({ response }) => response?.status)).toEqual([401, 204])
    const text = JSON.stringify(certification)
    expect(token).toBe('a-token-of-the-shop')
    for (const secret of [token, SECRET, hosted.SANDBOX_API_PASSWORD]) expect(text).not.toContain(secret)
    expect(text).not.toMatch(/Basic [A-Za-z0-9+/]{8}/)
  })

  it('is published in the register, with a badge, also after a restart, until it is withdrawn', async () => {
    const entry = await world.certifications.register(report.id)
    expect(entry).toMatchObject({ subject: 'shop', plan: PLAN, standing: 'ready', expired: false })
    const page = await sandbox.fetch(
      new Request(`${world.url}/certifications`, { headers: { accept: 'text/html' } }),
    )
    expect(await page.text()).toContain('<bdi>shop</bdi>')
    const json = await sandbox.fetch(new Request(`${world.url}/certifications`))
    expect(await json.json()).toMatchObject({ certifications: [{ id: entry.id, expired: false }] })
    const badge = await sandbox.fetch(new Request(`${world.url}/certifications/${entry.id}.svg`))
    expect(await badge.text()).toContain(`${PLAN}: ready until ${entry.expires_at.slice(0, 10)}`)
    // The badge of a renewed certification keeps its address.
    expect((await world.certifications.register(report.id)).id).toBe(entry.id)
    await sandbox.close()
    sandbox = await open()
    const again = await sandbox.fetch(new Request(`${world.url}/certifications`))
    expect(await again.json()).toMatchObject({
      certifications: [{ id: entry.id, subject: 'shop', plan: PLAN }],
    })
    await sandbox.home.certifications.unregister(report.id)
    expect((await sandbox.fetch(new Request(entry.badge))).status).toBe(404)
  })
})

describe('a run that is refused', () => {
  it.each([
    ['without the plan', { plan: undefined }, `plan must be ${PLAN}, which this sandbox requires; got none`],
    ['of another plan', { plan: 'payouts-kes-2026.1' }, 'got "payouts-kes-2026.1"'],
    [
      'of a profile that lacks a feature of the plan',
      { profile: { ...profile, features: ['collect'] } },
      'profile.features: the plan checkout-kes-2026.1 is for shops with reversals, which the profile does not list',
    ],
    [
      'of a profile with waivers',
      {
        profile: {
          ...profile,
          waivers: { 'RCV-18': { until: '2027-01-31', by: 'Jane', ticket: 'SHOP-1', because: 'later' } },
        },
      },
      'profile.waivers.RCV-18: the plan checkout-kes-2026.1 allows no waivers',
    ],
    [
      'without a probe',
      { profile: { ...profile, probe: undefined } },
      'profile.probe: the plan checkout-kes-2026.1 needs it',
    ],
    [
      'with a command',
      { profile: { ...profile, trigger: { command: 'npm run pay' } } },
      'profile.trigger must be http: a sandbox runs no commands and waits for no person; got command',
    ],
    [
      'to an address of an inner network',
      { profile: { ...profile, receiver: { url: 'http://169.254.169.254/callback' } } },
      'profile.receiver: callback host 169.254.169.254 is a cloud metadata address',
    ],
    ['with an unknown check', { only: ['RCV-99'] }, 'RCV-99 is not a check'],
    ['without a name', { profile: { ...profile, profile: '   ' } }, 'must contain a letter or a digit'],
    ['with a misspelt profile', { profile: { profil: 'shop' } }, 'profil'],
  ])('%s', async (_, body, message) => {
    expect(await refusalOf(body)).toContain(message)
  })

  it('while another runs, and stops on request', { timeout: LIMIT }, async () => {
    const world = await sandbox.world()
    const { id } = await world.certifications.start(run)
    await expect(world.certifications.start(run)).rejects.toThrow(`the run ${id} of this world has not ended`)
    expect(await world.certifications.stop(id)).toMatchObject({ state: 'stopped' })
    expect(await ended(world, id)).toMatchObject({ state: 'stopped', report: null })
  })
})

it('finds a faulty shop not ready, and does not publish it', { timeout: LIMIT }, async () => {
  const world = await sandbox.world()
  habits = mutants['RCV-2'].habits!(careful)
  shop.stop()
  shop = shopWith()
  await sandbox.listen(0)
  const folder = temporaryFolder()
  const file = join(folder, 'certify.yaml')
  const signed = join(folder, 'signed.json')
  writeFileSync(file, JSON.stringify(profile))
  const target = ['--url', sandbox.url, '--user', `${world.username}:${world.password}`]
  const flags = [
    '--profile',
    file,
    '--only',
    'RCV-1,RCV-2',
    '--witnessed',
    signed,
    '--register',
    '--plan',
    PLAN,
  ]
  const { code, out, err } = await commandEnded(['certify', ...flags, ...target], run.variables)
  expect({ code, err }).toEqual({
    code: 1,
    err: 'Not published: the register contains only certifications that are ready; this one is not ready\n',
  })
  expect(out).toContain('Not ready: 1 mandatory check fails')
  expect(readReport(readFileSync(signed, 'utf8')).certification.summary.standing).toBe('not_ready')
})

it('ends with its world when that is deleted, which stays gone', async () => {
  let respond = () => {}
  const asked = new Promise<void>((resolve) => (respond = resolve))
  let finish: (response: Response) => void = () => {}
  const local = await createSandbox({
    env: { LOG_LEVEL: 'error', SANDBOX_CERTIFICATION_KEY },
    receivers: {
      [ORIGIN]: () => {
        respond()
        return new Promise<Response>((resolve) => (finish = resolve))
      },
    },
  })
  const authorization = `Basic ${Buffer.from('demo+gone:demo').toString('base64')}`
  const ask = (path: string, init: RequestInit = {}) =>
    local.fetch(new Request(local.home.url + path, { ...init, headers: { authorization } }))
  const start = { profile, variables: run.variables, only: ['RCV-1'] }
  const body = JSON.stringify(start)
  const begun = await local.fetch(
    new Request(`${local.home.url}/sandbox/certifications/runs`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body,
    }),
  )
  expect(begun.status).toBe(202)
  await asked
  expect((await local.home.fetch('/sandbox/worlds/demo+gone', { method: 'DELETE' })).status).toBe(200)
  finish(new Response(null, { status: 202 }))
  for (let n = 0; n < 40; n++)
    expect(await (await local.home.fetch('/__admin/worlds')).text()).not.toContain('demo+gone')
  // Only a request of its user makes it again, without the run and without a report.
  expect((await ask('/sandbox/certifications/runs/1')).status).toBe(404)
  expect(await (await ask('/sandbox/certifications')).json()).toMatchObject({ certifications: [] })
  await local.close()
})

it.each([
  ['SANDBOX_CERTIFICATION_PLAN', 'nope', 'SANDBOX_CERTIFICATION_PLAN: there is no plan "nope"'],
  ['SANDBOX_CERTIFICATION_PLANS', '/nowhere', 'SANDBOX_CERTIFICATION_PLANS: /nowhere: there is no such file'],
])('a wrong %s is named at the start', async (variable, value, message) => {
  await expect(createSandbox({ env: { LOG_LEVEL: 'error', [variable]: value } })).rejects.toThrow(message)
})
