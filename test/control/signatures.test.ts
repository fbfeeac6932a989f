import { createHmac, createPublicKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DEMO_SIGNING_SECRET, secretBytes } from '../../src/callbacks/signatures/secrets.ts'
import { collection } from '../support/requests.ts'
import { client, NOON, refused, startSandbox } from '../support/sandbox.ts'

const { sandbox, world: newWorld, answerOf } = await startSandbox()
answerOf.next = () => ({ status: 200, error: '' })

/** A world, and a callback that it sent. */
async function sent() {
  const world = newWorld()
  await world.post('/api/v2/payments', collection(world))
  await world.settle()
  const { headers, text } = world.callbacks()[0]!
  return { world, headers, text }
}
const signatureOf = (secret: string, headers: Record<string, string>, text: string) =>
  `v1,${createHmac('sha256', secretBytes(secret))
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`)
    .digest('base64')}`

describe('GET /sandbox/signing-secret', () => {
  it('is documented for the default world', async () => {
    const { status, body } = await client(sandbox, 'demo', 'demo').get('/sandbox/signing-secret')
    expect([status, body.secret, body.previous, body.signatures]).toEqual([
      200,
      DEMO_SIGNING_SECRET,
      [],
      'standard',
    ])
  })

  it('signs callbacks', async () => {
    const { world, headers, text } = await sent()
    const { secret } = (await world.get('/sandbox/signing-secret')).body
    expect(headers['webhook-signature']).toBe(signatureOf(secret, headers, text))
  })

  it('has public keys that Node.js can read', async () => {
    const [key] = (await newWorld().get('/sandbox/signing-secret')).body.public_keys
    expect(createPublicKey(key.pem).asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
  })
})

describe('GET /sandbox/signing-keys', () => {
  it('is a key set with the same keys', async () => {
    const world = newWorld()
    const { status, body } = await world.get('/sandbox/signing-keys')
    const [{ keyid, pem }] = (await world.get('/sandbox/signing-secret')).body.public_keys
    expect([status, body.keys[0].kid]).toEqual([200, keyid])
    const pemOfJwk = createPublicKey({ key: body.keys[0], format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    })
    expect(pemOfJwk).toBe(pem)
  })
})

describe('POST /sandbox/signing-secret', () => {
  it('signs with both until the overlap ends, then with the new one', async () => {
    const { world } = await sent()
    const before = (await world.get('/sandbox/signing-secret')).body.secret
    const { status, body } = await world.post('/sandbox/signing-secret', { overlap: '1h' })
    expect(status).toBe(200)
    expect(body.secret).not.toBe(before)
    expect(body.previous).toEqual([{ secret: before, valid_until: '2026-06-13T13:00:02.000Z' }])
    expect(body.public_keys).toHaveLength(2)

    await world.post('/sandbox/callbacks/1/resend')
    await world.settle()
    const both = world.callbacks()[1]!
    expect(both.headers['webhook-signature']).toBe(
      [body.secret, before].map((secret) => signatureOf(secret, both.headers, both.text)).join(' '),
    )

    await world.advance(3_600_000)
    await world.post('/sandbox/callbacks/1/resend')
    await world.settle()
    const one = world.callbacks()[2]!
    expect(one.headers['webhook-signature']).toBe(signatureOf(body.secret, one.headers, one.text))
    expect((await world.get('/sandbox/signing-secret')).body.previous).toEqual([])
  })

  it('needs no body', async () => {
    const world = newWorld()
    const before = (await world.get('/sandbox/signing-secret')).body.secret
    const { status, body } = await world.post('/sandbox/signing-secret')
    expect([status, body.previous[0].secret]).toEqual([200, before])
  })

  it('accepts a custom secret, and drops the old one at once without an overlap', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const { body } = await newWorld().post('/sandbox/signing-secret', { secret, overlap: '0' })
    expect([body.secret, body.previous]).toEqual([secret, []])
  })

  it('returns 400 for an invalid secret', async () => {
    expect(await newWorld().post('/sandbox/signing-secret', { secret: 'hello' })).toMatchObject(
      refused(400, 'invalid_argument', /^secret does not begin with whsec_/),
    )
  })

  it('returns 400 for an invalid overlap', async () => {
    expect((await newWorld().post('/sandbox/signing-secret', { overlap: 'a day' })).status).toBe(400)
  })
})

describe('POST /sandbox/signatures/check', () => {
  it('confirms a received callback with the secret of the world', async () => {
    const { world, headers, text } = await sent()
    const { status, body } = await world.post('/sandbox/signatures/check', { headers, body: text })
    expect([status, body.valid, body.diagnoses[0].profile]).toEqual([200, true, 'standard'])
    expect(body.diagnoses[0].signed.text).toBe(`${headers['webhook-id']}.${NOON / 1000}.${text}`)
  })

  it.each([
    ['another secret', 'wrong-secret', { secret: DEMO_SIGNING_SECRET }],
    ['a body that was parsed and written anew', 're-serialised', { body: 'pretty' }],
    ['a late look', 'stale', { received_at: '2026-06-13T13:00:00Z' }],
  ])('names the mistake of %s', async (_, code, changes) => {
    const { world, headers, text } = await sent()
    const asked = { headers, body: text, ...changes }
    if (asked.body === 'pretty') asked.body = JSON.stringify(JSON.parse(text), null, 2)
    const { body } = await world.post('/sandbox/signatures/check', asked)
    expect([body.valid, body.diagnoses[0].mistakes[0].code]).toEqual([false, code])
  })

  it('reports a missing signature', async () => {
    const { body } = await newWorld().post('/sandbox/signatures/check', { headers: {}, body: '{}' })
    expect([body.valid, body.diagnoses[0].profile, body.diagnoses[0].mistakes[0].code]).toEqual([
      false,
      null,
      'missing-header',
    ])
  })

  it('returns 400 without headers', async () => {
    expect(await newWorld().post('/sandbox/signatures/check', { body: '{}' })).toMatchObject(
      refused(400, 'invalid_argument', 'headers is required'),
    )
  })
})
