/** Receivers behind Basic authentication, a header of a gateway, and mutual TLS. */
import { createHmac } from 'node:crypto'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterAll, describe, expect, it } from 'vitest'
import { certifyProfile, profileOfOptions, readProfile } from '../../src/certify/certify.ts'
import { reportOf } from '../../src/certify/library.ts'
import { certificationText } from '../../src/cli/certify-text.ts'
import { createSandbox } from '../../src/index.ts'
import {
  authority,
  clientCertificate,
  clientKey,
  encryptedKey,
  serverCertificate,
  serverKey,
} from './certificates.ts'

const sandbox = await createSandbox({ env: {} })
await sandbox.listen()

const CREDENTIALS = `Basic ${Buffer.from('shop:b4sic').toString('base64')}`
const secret = await sandbox.home.signatures.secret()
const arrived: string[] = []

/** Takes correctly signed callbacks of clients with the certificate, the credentials and the header. */
const server = createServer(
  { cert: serverCertificate, key: serverKey, ca: authority, requestCert: true, rejectUnauthorized: false },
  (request, response) => {
    let body = ''
    request.on('data', (piece) => (body += piece))
    request.on('end', () => {
      const { headers, method } = request
      const isKnown =
        (request.socket as TLSSocket).authorized &&
        headers.authorization === CREDENTIALS &&
        headers['x-gateway-key'] === 'g4teway'
      const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given = '' } = headers
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
      const own = createHmac('sha256', key)
        .update(`${String(id)}.${String(at)}.${body}`)
        .digest('base64')
      const isSigned = given === `v1,${own}`
      const status = !isKnown ? 403 : method !== 'POST' ? 405 : isSigned ? 204 : 401
      arrived.push(`${method} ${isKnown ? 'known' : 'unknown'} ${status}`)
      response.writeHead(status).end()
    })
  },
)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
const callback = `${origin}/callback`
afterAll(async () => {
  server.close()
  server.closeAllConnections()
  await sandbox.close()
})

const protection = {
  credentials: 'shop:b4sic',
  secret_headers: ['X-Gateway-Key: g4teway'],
  certificate: clientCertificate,
  private_key: clientKey,
  authority,
}
const secrets = ['b4sic', CREDENTIALS.slice(6), 'g4teway', clientKey.split('\n')[1]!]
const texts = [
  'Basic authentication as shop',
  'the header X-Gateway-Key',
  'mutual TLS with the certificate CN=client, valid until 2126-11-01',
  'an authority of its own',
]

/** Pays in a world, and returns its callback. */
async function payIn(world: Awaited<ReturnType<typeof sandbox.world>>, callback_url = callback) {
  await world.signatures.rotate({ secret, overlap: '0' })
  const body = {
    amount: 100,
    phone_number: '0712345678',
    provider: 'm-pesa',
    network_code: '63902',
    callback_url,
  }
  await world.fetch('/api/v2/payments', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, external_reference: 'order-1' }),
  })
  await world.settle()
  const [first] = await world.callbacks.list()
  return world.callbacks.get(first!.id)
}

describe('a protected receiver', () => {
  it('gets credentials, headers and certificate, and none of them is shown', async () => {
    const world = await sandbox.world()
    const { settings } = await world.configure({ receiver_protection: { origin, ...protection } })
    expect(settings.protected_by.map((text) => text.replace(/until .*/, ''))).toEqual(
      texts.map((text) => text.replace(/until .*/, '')),
    )
    const { attempts } = await payIn(world)
    expect(attempts.map(({ response }) => response?.status)).toEqual([204])
    expect(attempts[0]!.request.headers).toMatchObject({
      authorization: '[redacted]',
      'X-Gateway-Key': '[redacted]',
    })
    const exported = await (await world.fetch('/sandbox/export')).text()
    const shown = JSON.stringify([await world.show(), attempts, exported])
    for (const each of secrets) expect(shown).not.toContain(each)
    expect(exported).toContain('order-1')
  })

  it('is the only one that gets them', async () => {
    const world = await sandbox.world({
      settings: { receiver_protection: { ...protection, origin: 'https://shop.example' } },
      clock: { speed: 0 },
    })
    await world.configure({ retry_profile: 'none' })
    const { attempts } = await payIn(world)
    expect(attempts[0]!.request.headers).not.toHaveProperty('authorization')
    // Without the authority, its certificate does not verify.
    expect(attempts[0]).toMatchObject({ response: null, error: expect.stringMatching(/certificate/) })
  })

  it('may echo its request without a secret in records, and its settings can be sent back', async () => {
    const echo = createHttpServer((request, response) => {
      response.setHeader('x-echo', String(request.headers['x-gateway-key']))
      response.end(JSON.stringify(request.headers))
    })
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`
    const { credentials, secret_headers } = protection
    const receiver_protection = { origin: address, credentials, secret_headers }
    const world = await sandbox.world({ settings: { receiver_protection } })
    const { settings } = await world.show()
    expect((await world.configure(settings)).settings).toEqual(settings)
    const { attempts } = await payIn(world, `${address}/echo`)
    echo.close()
    echo.closeAllConnections()
    const text = JSON.stringify(attempts)
    expect(attempts[0]!.response!.body).toContain('"x-gateway-key":"[redacted]"')
    for (const each of secrets) expect(text).not.toContain(each)
  })

  it('is no longer known after an empty change', async () => {
    const world = await sandbox.world({ settings: { receiver_protection: { origin, ...protection } } })
    const { settings } = await world.configure({ receiver_protection: {} })
    expect(settings.protected_by).toEqual([])
  })

  it('is certified, and the report names the protection without its secrets', async () => {
    const { username, password, url } = await sandbox.world()
    arrived.length = 0
    const env = { CLIENT: clientCertificate, KEY: clientKey, AUTHORITY: authority, BASIC: 'shop:b4sic' }
    const file = `
profile: shop
receiver:
  url: ${callback}
  secret: ${secret}
  protection:
    credentials: '\${env.BASIC}'
    secret_headers: ['X-Gateway-Key: g4teway']
    certificate: '\${env.CLIENT}'
    private_key: '\${env.KEY}'
    authority: '\${env.AUTHORITY}'
`
    const profile = {
      ...(await readProfile('certify.yaml', file, env)),
      sandbox: url,
      user: { username, password },
    }
    const found = await certifyProfile(profile, { only: ['RCV-1', 'RCV-2', 'RCV-4', 'SEC-5'] })
    expect(found.checks.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['RCV-1', 'pass'],
      ['RCV-2', 'pass'],
      ['RCV-4', 'pass'],
      ['SEC-5', 'pass'],
    ])
    expect(arrived.filter((each) => !each.includes(' known'))).toEqual([])
    expect(arrived).toContain('GET known 405')
    const shown = [
      certificationText(found, false),
      ...(await Promise.all([reportOf(found, 'html'), reportOf(found, 'json')])),
    ]
    for (const text of shown) {
      expect(text).toContain('the header X-Gateway-Key')
      for (const each of secrets) expect(text).not.toContain(each)
    }
  })
})

describe('a malformed protection', () => {
  const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
  it.each([
    [{ origin: undefined }, 'origin must be the origin of the receiver'],
    [{ origin: 'ftp://shop.example' }, 'origin must be the origin of the receiver'],
    [{ credentials: 'b4sic' }, 'credentials must be a name and a password'],
    [{ secret_headers: ['X-Gateway-Key'] }, 'secret_headers[0] must be a name and a printable value'],
    [{ secret_headers: ['X-Key: b4\nsic: 1'] }, 'secret_headers[0] must be a name and a printable value'],
    [
      { secret_headers: ['Webhook-Signature: b4sic'] },
      'secret_headers[0] has the name Webhook-Signature, which',
    ],
    [{ secret_headers: ['content-length: 4'] }, 'secret_headers[0] has the name content-length, which'],
    [
      { secret_headers: ['Authorization: Bearer b4sic'] },
      'secret_headers has Authorization, which credentials set',
    ],
    [{ certificate: PEM }, 'certificate must be certificates in PEM'],
    [{ authority: 'b4sic' }, 'authority must be certificates in PEM'],
    [{ private_key: undefined }, 'private_key is missing'],
    [{ private_key: 'b4sic' }, 'private_key must be a private key in PEM'],
    [{ private_key: encryptedKey }, 'private_key is encrypted: remove its passphrase'],
    [{ private_key: serverKey }, 'private_key does not belong to the certificate'],
    [{ origin: 'http://shop.example' }, 'certificate needs an origin with https'],
  ])('is refused: %o', async (change, message) => {
    const response = await sandbox.home.fetch('/sandbox/worlds/current', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ receiver_protection: { origin, ...protection, ...change } }),
    })
    const text = await response.text()
    expect({ status: response.status, text }).toEqual({
      status: 400,
      text: expect.stringContaining(`receiver_protection.${message}`),
    })
    expect(text).not.toContain('b4sic')
    expect((await sandbox.home.show()).settings.protected_by).toEqual([])
  })

  it.each([
    [{ secret_headers: Array.from({ length: 9 }, (_, n) => `X-${n}: b4sic`) }],
    [{ certificate: clientCertificate.repeat(100) }],
    [{ credentials: `shop:${'b4sic'.repeat(500)}` }],
  ])('is refused for its size', async (change) => {
    const failing = sandbox.home.configure({ receiver_protection: { origin, ...protection, ...change } })
    await expect(failing).rejects.toThrow(/receiver_protection/)
    await expect(failing).rejects.not.toThrow(/b4sic/)
  })

  it('stops a run of certify with the field', () => {
    const receiver = { url: callback, protection: { credentials: 'b4sic' } }
    expect(() => profileOfOptions({ profile: 'shop', receiver })).toThrow(
      'receiver.protection.credentials must be a name and a password',
    )
  })
})
