import { describe, expect, it } from 'vitest'
import { signingKeys } from '../../../src/callbacks/signatures/secrets.ts'
import type { SignatureSettings } from '../../../src/callbacks/signatures/profiles/profiles.ts'
import { checkSettings, readSignatures } from '../../../src/callbacks/signatures/profiles/profiles.ts'
import {
  checkSecret,
  DEMO_SIGNING_SECRET,
  deriveSecret,
  secretBytes,
} from '../../../src/callbacks/signatures/secrets.ts'

const encode = (length: number) => `whsec_${Buffer.alloc(length, 0xfb).toString('base64')}`

describe('a secret', () => {
  it.each([24, 32, 64])('is accepted with %i bytes', (length) => {
    expect(checkSecret(encode(length))).toBe(encode(length))
  })

  it.each([
    ['23 bytes', encode(23), 'has 23 bytes'],
    ['65 bytes', encode(65), 'has 65 bytes'],
    ['no prefix', encode(32).slice(6), 'does not begin with whsec_'],
    ['base64url', encode(32).replaceAll('+', '-'), 'is not standard base64'],
    ['no padding', encode(32).replace('=', ''), 'is not standard base64'],
    ['a newline behind it', `${encode(32)}\n`, 'begins or ends with white space'],
  ])('is rejected with %s', (_, secret, message) => {
    expect(() => checkSecret(secret)).toThrow(`SANDBOX_SIGNING_SECRET ${message}`)
  })

  it('is deterministic, and different for other seeds and worlds', () => {
    const secret = deriveSecret('seed', 'demo+one')
    expect(checkSecret(secret)).toBe(deriveSecret('seed', 'demo+one'))
    expect(secretBytes(secret)).toHaveLength(32)
    expect(new Set([secret, deriveSecret('seed', 'demo+two'), deriveSecret('tree', 'demo+one')]).size).toBe(3)
  })

  it('of the demo world is valid', () => {
    expect(checkSecret(DEMO_SIGNING_SECRET)).toBe(DEMO_SIGNING_SECRET)
  })

  it('is needed to sign', () => {
    expect(() => signingKeys([])).toThrow('at least one secret')
  })
})

describe('signatures', () => {
  it('are parsed from a list', () => {
    expect(readSignatures('standard, rfc9421:der, token:x-token, hmac-sha512:x-paystack-signature')).toEqual([
      { profile: 'standard' },
      { profile: 'rfc9421', form: 'der' },
      { profile: 'token', header: 'x-token' },
      { profile: 'hmac-sha512', header: 'x-paystack-signature' },
    ])
  })

  it.each([
    ['svix', '"svix" is not known: use standard, stripe'],
    ['constructor', '"constructor" is not known'],
    ['stripe:x', 'stripe cannot be set to "x"'],
    ['rfc9421:pem', 'rfc9421 cannot be set to "pem"'],
    ['token:a b', '"a b" cannot be the name of a header'],
    ['token:', '"" cannot be the name of a header'],
    ['token:x-a,hmac-sha512:X-A', 'token and hmac-sha512 both write the header X-A'],
    ['standard,standard', 'standard and standard both write'],
    ['token:Content-Length', 'the header Content-Length belongs to the request itself: give token another'],
  ])('%s is rejected', (text, message) => {
    expect(() => readSignatures(text)).toThrow(message)
  })

  const custom = {
    profile: 'custom',
    header: 'X-Sign',
    algorithm: 'sha256',
    encoding: 'hex',
    template: '{body}',
  } as const satisfies SignatureSettings

  it.each([
    [{ ...custom, template: '{when}.{body}' }, 'template has {when}: it can hold {id} {timestamp}'],
    [{ ...custom, template: '{id}' }, 'template has no {body}'],
    [{ ...custom, format: 'v1' }, 'format has no {signature}'],
    [{ ...custom, headers: { 'X-B': '{body}' } }, 'headers has {body}: it can hold {id} {timestamp}'],
    [{ ...custom, headers: { 'x-sign': '1' } }, 'both write the header x-sign'],
    [{ ...custom, headers: { host: 'elsewhere.test' } }, 'the header host belongs to the request itself'],
    [{ ...custom, headers: { 'X-B': 'a\r\nX-C: b' } }, 'headers has characters that a header cannot hold'],
    [{ ...custom, format: 'v1=\n{signature}' }, 'format has characters that a header cannot hold'],
  ])('invalid custom settings are rejected: %#', (settings, message) => {
    expect(() => checkSettings([settings])).toThrow(message)
  })
})
