import { createHash, createHmac, sign as signBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { checkSignatures, type SignatureCheckInput } from '../../../src/callbacks/signatures/doctor/check.ts'
import type { MistakeCode } from '../../../src/callbacks/signatures/doctor/diagnosis.ts'
import { SIGNATURE_FAULTS } from '../../../src/callbacks/attempt.ts'
import { signed, type SignatureSettings } from '../../../src/callbacks/signatures/profiles/profiles.ts'
import { secretBytes, signingKeys } from '../../../src/callbacks/signatures/secrets.ts'
import { BODY, keys, NAMED, NOW, OLD_SECRET, REQUEST, SECRET, sign } from './fixtures.ts'
import { accepted, VERIFIERS } from './verifiers.ts'

const CUSTOM: SignatureSettings = {
  profile: 'custom',
  header: 'X-Sign',
  algorithm: 'sha256',
  encoding: 'base64',
  template: '{timestamp}:{id}:{body}',
  format: 't={timestamp};s={signature}',
  headers: { 'X-Id': '{id}' },
}

/** A callback as it was received, good but for what a test changes. */
function received(
  settings: SignatureSettings,
  changes: Partial<SignatureCheckInput> = {},
): SignatureCheckInput {
  return {
    headers: { ...sign(REQUEST, [settings], keys), 'content-type': 'application/json' },
    body: BODY,
    secret: SECRET,
    nowSeconds: NOW + 1,
    method: 'POST',
    url: REQUEST.url,
    signatures: [settings],
    ...changes,
  }
}

function codes(input: SignatureCheckInput): MistakeCode[] {
  return checkSignatures(input).flatMap(({ mistakes }) => mistakes.map(({ code }) => code))
}

const ALL = [...VERIFIERS.map(({ settings }) => settings), CUSTOM]

describe('a valid callback', () => {
  it.each(ALL)('$profile holds', (settings) => {
    const [diagnosis, ...others] = checkSignatures(received(settings))
    expect(others).toEqual([])
    expect(diagnosis).toMatchObject({ profile: settings.profile, valid: true, mistakes: [] })
  })

  it.each(ALL.filter(({ profile }) => profile !== 'rfc9421'))(
    '$profile: expected is what was received',
    (settings) => {
      const [diagnosis] = checkSignatures(received(settings))
      expect(diagnosis?.expected).toEqual(diagnosis?.received)
    },
  )

  it('returns the signed bytes as text and as base64', () => {
    const text = `${REQUEST.id}.${NOW}.${BODY}`
    expect(checkSignatures(received(NAMED.standard))[0]?.signed).toEqual({
      text,
      base64: Buffer.from(text).toString('base64'),
    })
  })

  it('is diagnosed for each of its profiles', () => {
    const signatures = [NAMED.standard, NAMED.stripe, NAMED.rfc9421]
    const headers = { ...sign(REQUEST, signatures, keys), 'content-type': 'application/json' }
    const found = checkSignatures(received(NAMED.standard, { headers, signatures: undefined }))
    expect(found.map(({ profile, valid: holds }) => [profile, holds])).toEqual([
      ['standard', true],
      ['stripe', true],
      ['rfc9421', true],
    ])
  })

  it.each([SECRET, OLD_SECRET])('is valid with both secrets of a rotation: %s', (secret) => {
    for (const settings of [NAMED.standard, NAMED.stripe]) {
      const headers = sign(REQUEST, [settings], signingKeys([SECRET, OLD_SECRET]))
      expect(codes(received(settings, { headers, secret }))).toEqual([])
    }
  })
})

/** What the doctor says agrees with what the verifier does. */
describe.each(VERIFIERS)('$name', (verifier) => {
  it.each(Object.keys(SIGNATURE_FAULTS) as (keyof typeof SIGNATURE_FAULTS)[])('%s', async (fault) => {
    const sent = SIGNATURE_FAULTS[fault]({ request: REQUEST, signatures: [verifier.settings], keys })
    const body = sent.body.subarray(0, sent.cutAt ?? sent.body.length)
    const call = { method: 'POST', url: REQUEST.url, headers: sent.headers, body }
    const takes = await accepted(verifier, call, SECRET, NOW + 1)
    const headers = { ...sent.headers, 'content-type': 'application/json' }
    const [diagnosis] = checkSignatures(received(verifier.settings, { headers, body }))
    expect(diagnosis?.valid).toBe(takes)
  })
})

const hmac = (content: string | Buffer, key: string | Buffer = secretBytes(SECRET), algorithm = 'sha256') =>
  createHmac(algorithm, key).update(content).digest()

const CONTENT = `${REQUEST.id}.${NOW}.${BODY}`

/** Headers of `standard` with one thing changed. */
function standard(signature: string, timestamp: number | string = NOW): SignatureCheckInput {
  const headers = {
    'Webhook-Id': REQUEST.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signature,
  }
  return received(NAMED.standard, { headers })
}

const v1 = (digest: Buffer) => `v1,${digest.toString('base64')}`

/** A secret whose base64 has both characters that base64url writes differently. */
const RICH = 'whsec_++//MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

const value = JSON.parse(BODY) as Record<string, unknown>
const sorted = JSON.stringify(
  Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))),
)
const python = `{${Object.entries(value)
  .map(([key, each]) => `${JSON.stringify(key)}: ${JSON.stringify(each)}`)
  .join(', ')}}`
const ascii = (text: string) => text.replace('é', '\\u00e9').replace('à', '\\u00e0')

const withBody = (body: string) => received(NAMED.standard, { body })
const signedOver = (body: string) => standard(v1(hmac(`${REQUEST.id}.${NOW}.${body}`)))

describe('mistakes with standard', () => {
  const good = sign(REQUEST, [NAMED.standard], keys)
  const without = (name: string) => {
    const { [name]: _, ...headers } = good
    return received(NAMED.standard, { headers })
  }

  it.each<[string, SignatureCheckInput, MistakeCode[]]>([
    ['the id is missing', without('webhook-id'), ['missing-header']],
    ['the timestamp is missing', without('webhook-timestamp'), ['missing-header']],
    ['the signature is missing', without('webhook-signature'), ['missing-header']],
    ['v1= for v1,', standard(v1(hmac(CONTENT)).replace('v1,', 'v1=')), ['wrong-mark']],
    ['no v1,', standard(hmac(CONTENT).toString('base64')), ['wrong-mark']],
    ['hex for base64', standard(`v1,${hmac(CONTENT).toString('hex')}`), ['wrong-encoding']],
    ['hex with v1=', standard(`v1=${hmac(CONTENT).toString('hex')}`), ['wrong-encoding', 'wrong-mark']],
    ['base64 of the hex', standard(v1(Buffer.from(hmac(CONTENT).toString('hex')))), ['wrong-encoding']],
    ['base64url', standard(`v1,${hmac(CONTENT).toString('base64url')}`), ['wrong-encoding']],
    ['the whole secret as text', standard(v1(hmac(CONTENT, SECRET))), ['wrong-key-form']],
    ['the secret as text without whsec_', standard(v1(hmac(CONTENT, SECRET.slice(6)))), ['wrong-key-form']],
    ['another secret', standard(v1(hmac(CONTENT, secretBytes(OLD_SECRET)))), ['wrong-secret']],
    ['sha512', standard(v1(hmac(CONTENT, secretBytes(SECRET), 'sha512'))), ['wrong-algorithm']],
    ['the body alone', standard(v1(hmac(BODY))), ['wrong-content']],
    ['the id left out', standard(v1(hmac(`${NOW}.${BODY}`))), ['wrong-content']],
    ['no dots', standard(v1(hmac(`${REQUEST.id}${NOW}${BODY}`))), ['wrong-content']],
    ['milliseconds', standard(v1(hmac(`${REQUEST.id}.${NOW}123.${BODY}`)), `${NOW}123`), ['milliseconds']],
    ['milliseconds in the header only', standard(v1(hmac(CONTENT)), `${NOW}123`), ['milliseconds']],
    [
      'milliseconds in the signature only',
      standard(v1(hmac(`${REQUEST.id}.${NOW}000.${BODY}`))),
      ['milliseconds'],
    ],
    [
      'an ISO timestamp',
      standard(v1(hmac(`${REQUEST.id}.2026-06-30T00:44:53Z.${BODY}`)), '2026-06-30T00:44:53Z'),
      ['timestamp-format'],
    ],
    ['a timestamp of words', standard(v1(hmac(`${REQUEST.id}.now.${BODY}`)), 'now'), ['timestamp-format']],
    ['half a signature', standard(v1(hmac(CONTENT)).slice(0, 20)), ['malformed-signature']],
    ['no signature', standard('v1,'), ['malformed-signature']],
    ['stale', received(NAMED.standard, { nowSeconds: NOW + 301 }), ['stale']],
    ['future', received(NAMED.standard, { nowSeconds: NOW - 301 }), ['future']],
    [
      'stale and of another secret',
      received(NAMED.standard, { nowSeconds: NOW + 301, secret: OLD_SECRET }),
      ['wrong-secret', 'stale'],
    ],
    [
      'a line end behind the secret',
      received(NAMED.standard, { secret: `${SECRET}\r\n` }),
      ['secret-whitespace'],
    ],
    [
      'a base64url secret',
      received(NAMED.standard, {
        headers: sign(REQUEST, [NAMED.standard], signingKeys([RICH])),
        secret: RICH.replaceAll('+', '-').replaceAll('/', '_'),
      }),
      ['secret-base64url'],
    ],
  ])('%s', async (_, input, expected) => {
    expect(codes(input)).toEqual(expected)
    const [verifier] = VERIFIERS
    if (verifier === undefined) throw new Error('no verifier')
    const headers = input.headers as Record<string, string>
    const call = { method: 'POST', url: REQUEST.url, headers, body: Buffer.from(input.body) }
    expect(await accepted(verifier, call, input.secret, input.nowSeconds)).toBe(false)
  })

  it.each<[string, SignatureCheckInput, MistakeCode]>([
    ['JSON indented', withBody(JSON.stringify(value, null, 2)), 're-serialised'],
    ['JSON indented by tabs', withBody(JSON.stringify(value, null, '\t')), 're-serialised'],
    ['JSON spaced', withBody(python), 're-serialised'],
    ['JSON with \\u escapes', withBody(ascii(BODY)), 're-serialised'],
    ['signed indented', signedOver(JSON.stringify(value, null, 2)), 're-serialised'],
    ['signed as Python writes it', signedOver(ascii(python)), 're-serialised'],
    ['signed as PHP writes it', signedOver(ascii(BODY).replaceAll('/', '\\/')), 're-serialised'],
    ['signed with sorted keys', signedOver(sorted), 're-serialised'],
    ['keys in another order', { ...withBody(sorted), sentBodies: [BODY] }, 're-serialised'],
    ['a newline added', withBody(`${BODY}\n`), 'trailing-newline'],
    ['a newline lost', signedOver(`${BODY}\n`), 'trailing-newline'],
    ['a byte order mark', withBody(`\ufeff${BODY}`), 'byte-order-mark'],
    [
      'another amount',
      { ...withBody(BODY.replace('"amount":1', '"amount":9')), sentBodies: [BODY] },
      'body-changed',
    ],
    ['another amount, sent body unknown', withBody(BODY.replace('"amount":1', '"amount":9')), 'wrong-secret'],
  ])('%s', (_, input, expected) => {
    expect(codes(input)).toEqual([expected])
  })

  it('are found in a body that is nested too deeply to be serialised', () => {
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
    expect(codes(withBody(deep))).toEqual(['wrong-secret'])
    const headers = sign({ ...REQUEST, body: deep }, [NAMED.standard], keys)
    expect(codes(received(NAMED.standard, { headers, body: `${deep}\n` }))).toEqual(['trailing-newline'])
  })

  it.each([
    [1000, 're-serialised'],
    [70_000, 'wrong-secret'],
  ])('in a body of %i characters: %s', (length, expected) => {
    const headers = sign({ ...REQUEST, body: `{"a":"${'b'.repeat(length)}"}` }, [NAMED.standard], keys)
    const body = `{"a": "${'b'.repeat(length)}"}`
    expect(codes(received(NAMED.standard, { headers, body }))).toEqual([expected])
  })

  it('line endings', () => {
    const body = JSON.stringify(value, null, 2)
    const headers = sign({ ...REQUEST, body }, [NAMED.standard], keys)
    const input = received(NAMED.standard, { headers, body: body.replaceAll('\n', '\r\n') })
    expect(codes(input)).toEqual(['line-endings'])
  })

  it('reports a wrong secret if the body is known to be unchanged', () => {
    const input = received(NAMED.standard, { secret: OLD_SECRET, sentBodies: [BODY] })
    expect(checkSignatures(input)[0]?.mistakes[0]?.message).toContain('the body is as it was sent')
  })

  it('returns the expected header', () => {
    const [diagnosis] = checkSignatures(standard(`v1=${hmac(CONTENT).toString('hex')}`))
    expect(diagnosis?.expected).toEqual({ header: 'webhook-signature', value: good['webhook-signature'] })
  })

  it('accepts the header names of svix', () => {
    const headers = Object.fromEntries(
      Object.entries(good).map(([name, each]) => [name.replace('webhook', 'svix'), each]),
    )
    expect(codes(received(NAMED.standard, { headers }))).toEqual([])
  })
})

describe('mistakes with stripe', () => {
  const digest = hmac(`${NOW}.${BODY}`, SECRET)
  const hex = digest.toString('hex')
  const stripe = (header: string, changes: Partial<SignatureCheckInput> = {}) =>
    received(NAMED.stripe, { headers: { 'stripe-signature': header }, ...changes })

  it.each<[string, SignatureCheckInput, MistakeCode[]]>([
    ['base64 for hex', stripe(`t=${NOW},v1=${digest.toString('base64')}`), ['wrong-encoding']],
    ['upper-case hex', stripe(`t=${NOW},v1=${hex.toUpperCase()}`), ['wrong-encoding']],
    ['v1, for v1=', stripe(`t=${NOW},v1,${hex}`), ['wrong-mark']],
    ['no t=', stripe(`v1=${hex}`), ['missing-header']],
    [
      'the base64-decoded key',
      stripe(`t=${NOW},v1=${hmac(`${NOW}.${BODY}`).toString('hex')}`),
      ['wrong-key-form'],
    ],
    [
      'the secret without whsec_',
      stripe(`t=${NOW},v1=${hmac(`${NOW}.${BODY}`, SECRET.slice(6)).toString('hex')}`),
      ['wrong-key-form'],
    ],
    [
      'a newline behind the secret',
      stripe(`t=${NOW},v1=${hex}`, { secret: `${SECRET}\n` }),
      ['secret-whitespace'],
    ],
    [
      'milliseconds',
      stripe(`t=${NOW}000,v1=${hmac(`${NOW}000.${BODY}`, SECRET).toString('hex')}`),
      ['milliseconds'],
    ],
    ['stale', stripe(`t=${NOW},v1=${hex}`, { nowSeconds: NOW + 301 }), ['stale']],
    ['from the future, which its library takes', stripe(`t=${NOW},v1=${hex}`, { nowSeconds: NOW - 900 }), []],
    ['another secret', stripe(`t=${NOW},v1=${hex}`, { secret: OLD_SECRET }), ['wrong-secret']],
  ])('%s', (_, input, expected) => {
    expect(codes(input)).toEqual(expected)
  })
})

describe('mistakes with the other profiles', () => {
  const hex = hmac(BODY, SECRET).toString('hex')

  it.each<[string, SignatureCheckInput, MistakeCode[]]>([
    [
      'github without sha256=',
      received(NAMED.github, { headers: { 'x-hub-signature-256': hex } }),
      ['wrong-mark'],
    ],
    [
      'github in base64',
      received(NAMED.github, {
        headers: { 'x-hub-signature-256': `sha256=${hmac(BODY, SECRET).toString('base64')}` },
      }),
      ['wrong-encoding'],
    ],
    [
      'hmac-sha512 made with sha256',
      received(NAMED['hmac-sha512'], { headers: { 'x-signature': hex } }),
      ['wrong-algorithm'],
    ],
    [
      'token with a space',
      received(NAMED.token, { headers: { 'Verif-Hash': `${SECRET} ` } }),
      ['secret-whitespace'],
    ],
    [
      'token of another world',
      received(NAMED.token, { headers: { 'verif-hash': OLD_SECRET } }),
      ['wrong-secret'],
    ],
    ['custom, stale', received(CUSTOM, { nowSeconds: NOW + 301 }), ['stale']],
    ['custom without its id', received(CUSTOM, { headers: { 'X-Sign': 't=1;s=a' } }), ['missing-header']],
    [
      'custom that signs a url nobody gave',
      received({ ...CUSTOM, template: '{url}{body}' }, { url: undefined }),
      ['missing-input'],
    ],
    ['nothing at all', received(NAMED.standard, { headers: {} }), ['missing-header']],
  ])('%s', (_, input, expected) => {
    expect(codes(input)).toEqual(expected)
  })
})

describe('mistakes with rfc9421', () => {
  const raw: SignatureSettings = { profile: 'rfc9421', form: 'raw' }
  const good = received(raw).headers as Record<string, string>
  const withHeaders = (headers: Record<string, string>, changes: Partial<SignatureCheckInput> = {}) =>
    received(raw, { headers: { ...good, ...headers }, ...changes })
  const { 'Content-Digest': _, ...undigested } = good

  it.each<[string, SignatureCheckInput, MistakeCode[]]>([
    [
      'DER for raw',
      received(raw, { headers: received({ profile: 'rfc9421', form: 'der' }).headers }),
      ['wrong-encoding'],
    ],
    ['raw for DER', received({ profile: 'rfc9421', form: 'der' }, { headers: good }), ['wrong-encoding']],
    ['another secret', received(raw, { secret: OLD_SECRET }), ['wrong-secret']],
    ['expired', received(raw, { nowSeconds: NOW + 61 }), ['stale']],
    ['from the future', received(raw, { nowSeconds: NOW - 1 }), ['future']],
    ['no digest', received(raw, { headers: undigested }), ['missing-header']],
    [
      'no colons',
      withHeaders({ Signature: (good.Signature ?? '').replaceAll(':', '') }),
      ['malformed-signature'],
    ],
    ['another path', received(raw, { url: 'https://shop.example.com:8443/other' }), ['wrong-content']],
    ['another content type', withHeaders({ 'content-type': 'text/plain' }), ['wrong-content']],
    ['no url', received(raw, { url: undefined }), ['missing-input']],
    ['JSON re-serialised', received(raw, { body: JSON.stringify(value, null, 2) }), ['re-serialised']],
    ['another body', received(raw, { body: '{}' }), ['body-changed']],
  ])('%s', (_name, input, expected) => {
    expect(codes(input)).toEqual(expected)
  })

  it('returns a valid signature', () => {
    const headers = received({ profile: 'rfc9421', form: 'der' }).headers
    const [diagnosis] = checkSignatures(received(raw, { headers }))
    const repaired = { ...headers, Signature: diagnosis?.expected?.value }
    expect(codes(received(raw, { headers: repaired }))).toEqual([])
  })

  it('accepts other components and another label', () => {
    const input = `("@target-uri" "@query" "content-digest");created=${NOW};keyid="${keys.pair.keyid}"`
    const digest = `sha-256=:${createHash('sha256').update(BODY).digest('base64')}:`
    const base = [
      `"@target-uri": ${REQUEST.url}`,
      '"@query": ?order=17',
      `"content-digest": ${digest}`,
      `"@signature-params": ${input}`,
    ].join('\n')
    const signature = signBytes('sha256', Buffer.from(base), {
      key: keys.pair.privateKey,
      dsaEncoding: 'ieee-p1363',
    })
    const headers = {
      'content-digest': digest,
      'signature-input': `sig1=${input}`,
      signature: `sig1=:${signature.toString('base64')}:`,
    }
    expect(codes(received(raw, { headers }))).toEqual([])
  })
})

it('a valid callback with all profiles has no mistakes', () => {
  const signatures = Object.values(NAMED)
  const sent = signed({ request: REQUEST, signatures, keys })
  const headers = { ...sent.headers, 'content-type': 'application/json' }
  expect(codes(received(NAMED.standard, { headers, signatures }))).toEqual([])
})
