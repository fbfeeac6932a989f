import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DEMO_SIGNING_SECRET } from '../../src/callbacks/signatures/secrets.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { defaultSeed } from '../../src/worlds/default-seed.ts'
import { globalPayment } from '../support/requests.ts'
import { client, hosted, startSandbox } from '../support/sandbox.ts'

const { sandbox } = await startSandbox(hosted)
const password = hosted.SANDBOX_API_PASSWORD
const owner = client(sandbox, 'demo', password)
const account = '/api/v2/account/63'

/** What `SANDBOX_API_PASSWORD` makes of the key that may only read, as docs/hosting.md has it. */
const derived = createHmac('sha256', password).update('viewer').digest('base64url')

describe('a hosted sandbox', () => {
  it.each([
    ['demo', 'demo'],
    ['viewer', 'viewer'],
    ['demo+a', 'demo'],
    ['viewer+a', 'viewer'],
    ['viewer', password],
    ['demo', derived],
  ])('401 for %s:%s', async (username, wrong) => {
    expect((await client(sandbox, username, wrong).get(account)).status).toBe(401)
  })

  it('accepts its passwords, and creates worlds only for the owner', async () => {
    expect((await owner.get(account)).status).toBe(200)
    expect((await client(sandbox, 'viewer', derived).get(account)).status).toBe(200)
    expect((await client(sandbox, 'viewer+b', derived).get(account)).status).toBe(401)
    expect(sandbox.worlds.all().map(({ name }) => name)).toEqual(['demo'])
    expect((await client(sandbox, 'demo+b', password).get(account)).status).toBe(200)
    expect((await client(sandbox, 'viewer+b', derived).get(account)).status).toBe(200)
  })

  it('accepts SANDBOX_VIEWER_PASSWORD for the viewer', async () => {
    const own = await startSandbox({ ...hosted, SANDBOX_VIEWER_PASSWORD: 'for readers only' })
    expect((await client(own.sandbox, 'viewer', 'for readers only').get(account)).status).toBe(200)
    expect((await client(own.sandbox, 'viewer', derived).get(account)).status).toBe(401)
  })

  it('does not start with a seed that has known or short passwords, and names each key', async () => {
    const start = (passwords: readonly string[]) => {
      const seed = defaultSeed('shop', 'demo')
      const api_keys = seed.api_keys.map((key, n) => ({ ...key, password: passwords[n]! }))
      return startSandbox(hosted, { seed: { ...seed, api_keys } })
    }
    await expect(start(['demo', 'a long password'])).rejects.toThrow(
      /^the seed: the password of the API key shop is a documented one; [^\n]*$/,
    )
    await expect(start(['short', 'viewer'])).rejects.toThrow(
      /API key shop has 5 characters; .*\n.*API key viewer is a documented one; /,
    )
    expect((await start(['a long password', 'another long one'])).sandbox).toBeDefined()
  })
})

describe('secrets of a hosted sandbox', () => {
  const secretsWith = async (changes: Record<string, string>) => {
    const made = await startSandbox({ ...hosted, ...changes })
    const own = changes['SANDBOX_API_PASSWORD'] ?? password
    const seen = []
    for (const username of ['demo', 'demo+a']) {
      const demo = client(made.sandbox, username, own)
      seen.push((await demo.get('/sandbox/signing-secret')).body.secret)
      seen.push((await demo.get('/sandbox/inbox/shop')).body.address)
      seen.push((await demo.post('/sandbox/signing-secret', {})).body.secret)
    }
    return seen as string[]
  }

  it('differ from the documentation, and stay the same after a restart', async () => {
    const secrets = await secretsWith({})
    expect(secrets).not.toContain(DEMO_SIGNING_SECRET)
    expect(new Set(secrets).size).toBe(secrets.length)
    const again = await secretsWith({})
    // Without a kept file the world `demo+a` is a later one of its name, to which the addresses of the earlier do not lead.
    const inbox = 4
    expect(again.toSpliced(inbox, 1)).toEqual(secrets.toSpliced(inbox, 1))
    expect(again[inbox]).toMatch(/^http:\/\/sandbox\.test\/sandbox\/inbox\/shop\?key=/)
    expect(again[inbox]).not.toBe(secrets[inbox])
  })

  it('stay the same after a restart with a file, as do inbox addresses', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hosted-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const env = { ...hosted, SANDBOX_DB: join(folder, 'rows.json') }
    const usernames = ['demo', 'demo+a']
    const seen = async (own: Sandbox) => {
      const secrets = []
      for (const username of usernames) {
        const demo = client(own, username, password)
        secrets.push((await demo.get('/sandbox/signing-secret')).body.secret)
        secrets.push((await demo.get('/sandbox/inbox/shop')).body.address)
      }
      return secrets as string[]
    }
    const { sandbox: first } = await startSandbox(env)
    const before = await seen(first)
    await first.close()
    const { sandbox: second } = await startSandbox(env)
    expect(await seen(second)).toEqual(before)
    for (const [n, username] of usernames.entries()) {
      const came = new Request(before[2 * n + 1]!, { method: 'POST', body: username })
      expect((await second.fetch(came)).status).toBe(200)
      const { body } = await client(second, username, password).get('/sandbox/inbox/shop')
      expect(body.messages.map((each: { body: string }) => each.body)).toEqual([username])
    }
    await second.close()
  })

  it.each([
    ['the API password', { SANDBOX_API_PASSWORD: 'another of its own' }],
    ['the admin token', { SANDBOX_ADMIN_TOKEN: 'another token of its own' }],
  ])('follow from %s', async (_, changes) => {
    const [before, after] = [await secretsWith({}), await secretsWith(changes)]
    expect(after.filter((each) => before.includes(each))).toEqual([])
  })

  it('cannot be derived from the secret of the default world', async () => {
    const SANDBOX_SIGNING_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const one = await secretsWith({ SANDBOX_SIGNING_SECRET })
    const other = await secretsWith({
      SANDBOX_SIGNING_SECRET,
      SANDBOX_ADMIN_TOKEN: 'another token of its own',
    })
    expect(one[0]).toBe(SANDBOX_SIGNING_SECRET)
    // What is set is the same; the inbox key of the default world is its own owner's to know.
    expect(one.slice(2).filter((each) => other.includes(each))).toEqual([])
  })

  it('are random for requested worlds', async () => {
    const made = await Promise.all(
      [0, 1].map(async () => {
        const own = await startSandbox(hosted)
        return (await client(own.sandbox, 'demo', password).post('/sandbox/worlds', {})).body
      }),
    )
    expect(made[0].credentials.password).not.toBe(made[1].credentials.password)
    expect(made[0].world.id).not.toBe(made[1].world.id)
  })
})

describe('addresses that grant access', () => {
  /** The checkout of the first pay-in of a world, and the link of its first invitation. */
  const addresses = async (env: Record<string, string>) => {
    const own = await startSandbox(env)
    const w = client(own.sandbox, 'demo', env['SANDBOX_API_PASSWORD'] ?? 'demo')
    const { body } = await w.post('/api/global/payments', cardPayment)
    await w.post('/api/v2/account_invites', {
      organization_id: 1,
      account_id: 63,
      email: 'new@demo.example',
    })
    const { link } = (await w.get('/sandbox/outbox')).body.mails[0]
    return { checkout: body.provider_response.checkout_url, link, id: body.checkout_request_id }
  }
  const card = globalPayment({ callback_url: '' }, { transaction_channel: 'card', provider: 'hosted_card' })
  const cardPayment = {
    ...card,
    provider_config: {
      network_id: 'ke-hosted-card-card-visa',
      provider_id: 'ke-hosted-card',
      network_name: 'Visa',
      network_code: 'visa',
      account_type: 'card',
    },
    payment_config: { ...card.payment_config, callback_url: 'https://shop.example/callback' },
  }

  it('cannot be derived from the seed and the name of a world in hosted mode', async () => {
    const [one, same] = [await addresses(hosted), await addresses(hosted)]
    expect(one).toEqual(same)
    const other = await addresses({ ...hosted, SANDBOX_ADMIN_TOKEN: 'another token of its own' })
    // What identifies a payment is drawn as ever; what opens its page is not.
    expect(other.id).toBe(one.id)
    expect(other.checkout).not.toBe(one.checkout)
    expect(other.link).not.toBe(one.link)
    const local = await addresses({})
    expect([local.checkout, local.link]).not.toContain(one.checkout)
  })

  it('are the same for the same seed in local mode', async () => {
    expect(await addresses({})).toEqual(await addresses({}))
    expect((await addresses({})).link).not.toBe((await addresses({ SANDBOX_SEED: 'other' })).link)
  })
})
