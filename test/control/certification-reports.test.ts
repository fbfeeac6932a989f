import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { hosted, startSandbox } from '../support/sandbox.ts'

const { privateKey } = generateKeyPairSync('ed25519')
const PEM = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const PATH = '/sandbox/certifications'
const KEYS = '/.well-known/jwks.json'

const signing = await startSandbox({ SANDBOX_CERTIFICATION_KEY: PEM })
const plain = await startSandbox()

const said = (report: { payload: string }) => JSON.parse(Buffer.from(report.payload, 'base64url').toString())

async function paid({ world } = signing) {
  const w = world()
  await w.post('/api/v2/payments', {
    amount: 1000,
    phone_number: '0712345678',
    provider: 'm-pesa',
    network_code: '63902',
    external_reference: 'order-1',
    callback_url: w.callback_url,
  })
  await w.settle()
  return w
}

it('signs the results of a world, verifiable with the published key alone', async () => {
  const w = await paid()
  const { status, body } = await w.post(PATH, { subject: 'shop' })
  expect(status).toBe(201)
  const published = await signing.sandbox.fetch(new Request(`http://sandbox.test${KEYS}`))
  const { keys } = JSON.parse(await published.text())
  expect(JSON.parse(Buffer.from(body.protected, 'base64url').toString())).toEqual({
    alg: 'EdDSA',
    kid: body.key_id,
    typ: 'certification+json',
  })
  expect(keys).toEqual([expect.objectContaining({ kid: body.key_id, kty: 'OKP', alg: 'EdDSA', use: 'sig' })])
  expect(keys[0]).not.toHaveProperty('d')
  const key = createPublicKey({ key: keys[0], format: 'jwk' })
  const bytes = Buffer.from(`${body.protected}.${body.payload}`)
  expect(verify(null, bytes, key, Buffer.from(body.signature, 'base64url'))).toBe(true)
  expect(said(body)).toMatchObject({
    certification: 1,
    subject: 'shop',
    mode: 'passive',
    sandbox: { world: w.world().name },
    summary: { ready: body.ready, text: body.text, score: body.score },
  })
})

it('has the verdicts of GET /sandbox/certification, without request or callback bodies', async () => {
  const w = await paid()
  const [{ body: report }, { body: now }] = [await w.post(PATH, {}), await w.get('/sandbox/certification')]
  const { checks } = said(report)
  // Only reports say that a check does not apply.
  const short = ({ id, verdict, observed }: Record<string, string>) => ({
    id,
    verdict: verdict === 'not_applicable' ? 'not_seen' : verdict,
    observed,
  })
  expect(checks.map(short)).toEqual(now.checks.map(short))
  for (const each of checks) expect(each).toMatchObject({ exchanges: [], timeline: [] })
})

it('returns a report unchanged, also to viewers, and lists the newest first', async () => {
  const w = await paid()
  const { body: first } = await w.post(PATH, { subject: 'shop' })
  const { body: second } = await w.post(PATH)
  expect(second.subject).toBe(w.world().name)
  expect((await w.get(`${PATH}/${first.id}`)).body).toEqual(first)
  expect((await w.viewer.get(`${PATH}/${first.id}`)).body).toEqual(first)
  const page = await w.viewer.get(`${PATH}?limit=1`)
  expect(page.body).toMatchObject({ certifications: [{ id: second.id }], next_before: second.id })
  const rest = await w.get(`${PATH}?before=${second.id}`)
  expect(rest.body).toMatchObject({ certifications: [{ id: first.id, subject: 'shop' }], next_before: null })
})

it('is marked as unsigned without a key, and the key set is empty', async () => {
  const { body } = await (await paid(plain)).post(PATH, {})
  expect(body).toMatchObject({ protected: null, signature: null, key_id: null })
  expect(body.unsigned).toContain('SANDBOX_CERTIFICATION_KEY')
  const keys = await plain.sandbox.fetch(new Request(`http://sandbox.test${KEYS}`))
  expect(await keys.json()).toEqual({ keys: [] })
})

it('keeps publishing previous keys, and signs with the first', async () => {
  const newer = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const rotated = await startSandbox({ SANDBOX_CERTIFICATION_KEY: newer + PEM })
  const { body: old } = await (await paid()).post(PATH, {})
  const { body: report } = await (await paid(rotated)).post(PATH, {})
  const answer = await rotated.sandbox.fetch(new Request(`http://sandbox.test${KEYS}`))
  const text = await answer.text()
  expect(JSON.parse(text).keys.map(({ kid }: { kid: string }) => kid)).toEqual([report.key_id, old.key_id])
  expect(text).not.toContain('"d"')
})

it('publishes the key with a short cache time', async () => {
  const answer = await signing.sandbox.fetch(new Request(`http://sandbox.test${KEYS}`))
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/jwk-set+json')
  expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  const again = new Request(`http://sandbox.test${KEYS}`, {
    headers: { 'if-none-match': answer.headers.get('etag')! },
  })
  expect((await signing.sandbox.fetch(again)).status).toBe(304)
})

it('keeps reports and their numbers over resets and restored snapshots', async () => {
  const w = await paid()
  const { body: snapshot } = await w.post('/sandbox/snapshots', {})
  const { body: first } = await w.post(PATH, {})
  await w.post('/sandbox/reset')
  expect((await w.get(`${PATH}/${first.id}`)).body).toEqual(first)
  const { body: second } = await w.post(PATH, {})
  expect(second.id).toBe(first.id + 1)
  await w.post(`/sandbox/snapshots/${snapshot.id}/restore`)
  expect((await w.get(PATH)).body.certifications.map(({ id }: { id: number }) => id)).toEqual([
    second.id,
    first.id,
  ])
})

it('exports and imports reports with their world', async () => {
  const w = await paid()
  const { body: report } = await w.post(PATH, { subject: 'shop' })
  const { body: exported } = await w.get('/sandbox/export')
  const other = signing.world()
  await other.get(PATH)
  expect((await other.post('/sandbox/import', exported)).status).toBe(200)
  expect((await other.get(`${PATH}/${report.id}`)).body).toEqual(report)
  exported.rows.certifications[0].payload = '<script>'
  const refused = await other.post('/sandbox/import', exported)
  expect(refused.status).toBe(400)
  expect(refused.body.error_message).toContain('rows.certifications[0].payload')
})

it('keeps the newest twenty', async () => {
  const w = signing.world()
  for (let n = 0; n < 22; n++) await w.post(PATH, {})
  const ids = (await w.get(PATH)).body.certifications.map(({ id }: { id: number }) => id)
  expect(ids).toEqual(Array.from({ length: 20 }, (_, n) => 22 - n))
  expect((await w.get(`${PATH}/2`)).status).toBe(404)
})

it('creates two reports for two simultaneous requests', async () => {
  const w = signing.world()
  await w.get(PATH)
  const both = await Promise.all([w.post(PATH, {}), w.post(PATH, {})])
  expect(both.map(({ body }) => body.id).toSorted()).toEqual([1, 2])
})

it('rejects read-only keys, other worlds’ reports and invalid subjects', async () => {
  const w = await paid()
  const { body } = await w.post(PATH, { subject: '<b>shop</b>\u202e' })
  expect(said(body).subject).toBe('<b>shop</b>\u202e')
  expect((await w.viewer.post(PATH, {})).status).toBe(403)
  const other = signing.world()
  expect((await other.get(`${PATH}/${body.id}`)).status).toBe(404)
  for (const wrong of [{ subject: 1 }, { subject: '' }, { subject: 'x'.repeat(256) }, { subjct: 'shop' }]) {
    const { status, body } = await w.post(PATH, wrong)
    expect(status).toBe(400)
    expect(body.error_message).toMatch(/subje?ct/)
  }
})

it('never returns the private key', async () => {
  const { sandbox } = await startSandbox({ ...hosted, SANDBOX_CERTIFICATION_KEY: PEM })
  const asked = (path: string) =>
    sandbox.fetch(
      new Request(`http://sandbox.test${path}`, {
        headers: { authorization: `Bearer ${hosted.SANDBOX_ADMIN_TOKEN}` },
      }),
    )
  const secret = privateKey.export({ format: 'jwk' }).d!
  const der = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  for (const path of ['/__admin/settings', '/__admin/processes', KEYS]) {
    const answer = await asked(path)
    expect(answer.status).toBe(200)
    const text = await answer.text()
    expect(text).not.toContain(secret)
    expect(text).not.toContain(der)
  }
})
