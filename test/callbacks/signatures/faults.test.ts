import { describe, expect, it } from 'vitest'
import { SIGNATURE_FAULTS } from '../../../src/callbacks/attempt.ts'
import { signed, type SigningRequest } from '../../../src/callbacks/signatures/profiles/profiles.ts'
import { signingKeys } from '../../../src/callbacks/signatures/secrets.ts'
import { headersOf } from '../../../src/callbacks/signatures/profiles/profiles.ts'
import { BODY, keys, NAMED, NOW, OLD_SECRET, REQUEST, SECRET } from './fixtures.ts'
import { accepted, VERIFIERS } from './verifiers.ts'

const signing: SigningRequest = { request: REQUEST, signatures: [NAMED.standard], keys }

describe('tampered', () => {
  it.each([
    [BODY, BODY.replace('"amount":1', '"amount":91')],
    ['{"response":{"Amount": 20.5}}', '{"response":{"Amount": 920.5}}'],
    ['{"status":"success"}', '{"tampered":true,"status":"success"}'],
    ['{"amount":null}', '{"tampered":true,"amount":null}'],
  ])('%s stays JSON with other contents', (body, expected) => {
    const sent = SIGNATURE_FAULTS.tampered({ ...signing, request: { ...REQUEST, body } })
    expect(sent.body.toString()).toBe(expected)
    expect(() => JSON.parse(expected) as unknown).not.toThrow()
  })

  it.each(['', '{}', '[]', 'text'])('"%s" becomes another body', (body) => {
    const sent = SIGNATURE_FAULTS.tampered({ ...signing, request: { ...REQUEST, body } })
    expect(sent.body.toString()).not.toBe(body)
  })

  it('keeps the headers of the valid callback', () => {
    expect(SIGNATURE_FAULTS.tampered(signing).headers).toEqual(signed(signing).headers)
  })
})

describe('malformed-signature', () => {
  it('breaks all signatures of a rotation and keeps their form', async () => {
    for (const { settings, ...verifier } of VERIFIERS.filter(({ name }) =>
      ['svix', 'stripe'].includes(name),
    )) {
      const sent = SIGNATURE_FAULTS['malformed-signature']({
        ...signing,
        signatures: [settings],
        keys: signingKeys([SECRET, OLD_SECRET]),
      })
      const call = { method: 'POST', url: REQUEST.url, headers: sent.headers, body: sent.body }
      for (const secret of [SECRET, OLD_SECRET]) {
        expect(await accepted({ settings, ...verifier }, call, secret, NOW)).toBe(false)
      }
      expect(Object.values(sent.headers).at(-1)).toMatch(
        /^(v1,[\w+/]{21,22} v1,[\w+/]{21,22}|t=\d+,v1=[0-9a-f]{32},v1=[0-9a-f]{32})$/,
      )
    }
  })

  it('breaks the signature of each profile', () => {
    const signatures = Object.values(NAMED)
    const [good, bad] = [
      signed({ ...signing, signatures }),
      SIGNATURE_FAULTS['malformed-signature']({ ...signing, signatures }),
    ]
    const changed = Object.keys(good.headers).filter((name) => good.headers[name] !== bad.headers[name])
    expect(changed).toEqual(signatures.flatMap((settings) => headersOf(settings).slice(0, 1)))
  })
})

describe('the others', () => {
  it('truncated-body keeps the content-length of the whole body', () => {
    const sent = SIGNATURE_FAULTS['truncated-body'](signing)
    expect(sent.body.toString()).toBe(BODY)
    expect(sent.cutAt).toBe(Math.floor(Buffer.byteLength(BODY) / 2))
  })

  it('unsigned has no signature headers', () => {
    expect(SIGNATURE_FAULTS.unsigned({ ...signing, signatures: Object.values(NAMED) }).headers).toEqual({})
  })

  it.each([
    ['stale', NOW - 301],
    ['future', NOW + 600],
  ] as const)('%s is rightly signed at its time and keeps the id', (fault, at) => {
    expect(SIGNATURE_FAULTS[fault](signing)).toEqual(
      signed({ ...signing, request: { ...REQUEST, timestampSeconds: at } }),
    )
  })

  it('wrong-secret is deterministic', () => {
    expect(SIGNATURE_FAULTS['wrong-secret'](signing)).toEqual(SIGNATURE_FAULTS['wrong-secret'](signing))
  })
})
