import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { deriveKeyPair, signingKeys } from '../../../src/callbacks/signatures/secrets.ts'
import {
  readSignatures,
  type SignatureSettings,
} from '../../../src/callbacks/signatures/profiles/profiles.ts'
import { BODY, keys, NAMED, NOW, OLD_SECRET, REQUEST, SECRET, sign } from './fixtures.ts'

const vector = {
  ...REQUEST,
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1_614_265_330,
  body: '{"test": 2432232314}',
}

describe('published vectors', () => {
  it('standard', () => {
    expect(sign(vector, [NAMED.standard], keys)).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('stripe', () => {
    expect(sign(vector, [NAMED.stripe], keys)).toEqual({
      'Stripe-Signature': 't=1614265330,v1=2e37df5d4a028c51a7f3133d64ae1e300d2c2c900f1b1d49d4369ad2530f8964',
    })
  })

  it('github', () => {
    const request = { ...vector, body: 'Hello, World!' }
    expect(sign(request, [NAMED.github], signingKeys(["It's a Secret to Everybody"]))).toEqual({
      'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    })
  })
})

describe('the body', () => {
  it.each(['standard', 'stripe', 'github', 'hmac-sha512'] as const)(
    '%s signs the same for a buffer and for its text',
    (name) => {
      const buffer = sign({ ...REQUEST, body: Buffer.from(BODY) }, [NAMED[name]], keys)
      expect(buffer).toEqual(sign(REQUEST, [NAMED[name]], keys))
    },
  )

  it('is signed byte for byte, even if it is not UTF-8', () => {
    const one = sign({ ...REQUEST, body: Buffer.from([0xff]) }, [NAMED.standard], keys)
    const other = sign({ ...REQUEST, body: Buffer.from([0xfe]) }, [NAMED.standard], keys)
    expect(one).not.toEqual(other)
  })
})

describe('rotation', () => {
  const both = signingKeys([SECRET, OLD_SECRET])
  const value = (
    request: typeof REQUEST,
    settings: SignatureSettings,
    secrets: typeof keys,
    header: string,
  ) => sign(request, [settings], secrets)[header]

  it('standard sends a signature for each secret, newest first', () => {
    const alone = [SECRET, OLD_SECRET].map((secret) =>
      value(REQUEST, NAMED.standard, signingKeys([secret]), 'webhook-signature'),
    )
    expect(value(REQUEST, NAMED.standard, both, 'webhook-signature')).toBe(alone.join(' '))
  })

  it('stripe sends a v1= for each secret, newest first', () => {
    const [first, second] = [SECRET, OLD_SECRET].map((secret) =>
      value(REQUEST, NAMED.stripe, signingKeys([secret]), 'Stripe-Signature')
        ?.split(',v1=')
        .at(-1),
    )
    expect(value(REQUEST, NAMED.stripe, both, 'Stripe-Signature')).toBe(`t=${NOW},v1=${first},v1=${second}`)
  })

  it.each(['github', 'hmac-sha512', 'token'] as const)('%s signs with the newest alone', (name) => {
    expect(sign(REQUEST, [NAMED[name]], both)).toEqual(sign(REQUEST, [NAMED[name]], keys))
  })
})

describe('rfc9421', () => {
  it('signs the base of the RFC with the key that keyid names', () => {
    const headers = sign(REQUEST, [NAMED.rfc9421], keys)
    const input = headers['Signature-Input']?.replace('sig-pp=', '') ?? ''
    expect(input).toBe(
      '("@method" "@authority" "@path" "signature-date" "content-digest" "content-type")' +
        `;alg="ecdsa-p256-sha256";keyid="${keys.pair.keyid}";created=${NOW};expires=${NOW + 60}`,
    )
    const base = [
      '"@method": POST',
      '"@authority": shop.example.com:8443',
      '"@path": /callbacks/payments',
      '"signature-date": 2026-06-30T00:44:53.000Z',
      `"content-digest": ${headers['Content-Digest']}`,
      '"content-type": application/json',
      `"@signature-params": ${input}`,
    ].join('\n')
    const signature = Buffer.from(/^sig-pp=:(.+):$/.exec(headers.Signature ?? '')?.[1] ?? '', 'base64')
    expect(signature).toHaveLength(64)
    const key = createPublicKey(keys.pair.publicPem)
    expect(verify('sha256', Buffer.from(base), { key, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true)
  })

  it('derives the same key pair from the same secret, and another from another', () => {
    expect(deriveKeyPair(SECRET).publicPem).toBe(keys.pair.publicPem)
    expect(deriveKeyPair(OLD_SECRET).keyid).not.toBe(keys.pair.keyid)
  })

  it('serves the same public key as PEM and as JWK', () => {
    const fromJwk = createPublicKey({ key: { ...keys.pair.publicJwk }, format: 'jwk' })
    expect(fromJwk.export({ type: 'spki', format: 'pem' })).toBe(keys.pair.publicPem)
    expect(keys.pair.publicJwk).not.toHaveProperty('d')
  })
})

describe('custom', () => {
  const custom: SignatureSettings = {
    profile: 'custom',
    header: 'X-Sign',
    algorithm: 'sha256',
    encoding: 'hex',
    template: '{body}',
  }

  it.each(['hex', 'base64', 'base64url'] as const)('is the github digest in %s over {body}', (encoding) => {
    const request = { ...vector, body: 'Hello, World!' }
    const digest = Buffer.from('757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17', 'hex')
    expect(sign(request, [{ ...custom, encoding }], signingKeys(["It's a Secret to Everybody"]))).toEqual({
      'X-Sign': digest.toString(encoding),
    })
  })

  it('can spell out the standard profile', () => {
    const settings: SignatureSettings = {
      ...custom,
      encoding: 'base64',
      key: 'base64',
      template: '{id}.{timestamp}.{body}',
      format: 'v1,{signature}',
      headers: { 'X-Time': '{timestamp}', 'X-Id': '{id}' },
    }
    expect(sign(vector, [settings], keys)).toEqual({
      'X-Sign': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      'X-Time': '1614265330',
      'X-Id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    })
  })

  it('does not replace placeholders in the body', () => {
    const one = sign({ ...REQUEST, body: '{id}' }, [custom], keys)
    expect(one).not.toEqual(sign({ ...REQUEST, body: REQUEST.id }, [custom], keys))
  })
})

describe('several signatures', () => {
  it('combine their headers', () => {
    const together = sign(REQUEST, readSignatures('standard,stripe,token'), keys)
    expect(Object.keys(together)).toEqual([
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
      'Stripe-Signature',
      'verif-hash',
    ])
  })

  it('none adds nothing', () => {
    expect(sign(REQUEST, readSignatures('none'), keys)).toEqual({})
  })
})
