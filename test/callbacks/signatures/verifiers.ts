/** Receivers, each with the library or the recipe an integrator would use. */
import { createHash, createHmac, createVerify, timingSafeEqual } from 'node:crypto'
import { verify as verifyGithub } from '@octokit/webhooks-methods'
import { createVerifier, httpbis } from 'http-message-signatures'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { deriveKeyPair } from '../../../src/callbacks/signatures/secrets.ts'
import type { ProfileName, SignatureSettings } from '../../../src/callbacks/signatures/profiles/profiles.ts'
import { NAMED } from './fixtures.ts'

/** What reached the receiver. */
export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface Verifier {
  readonly name: string
  readonly settings: SignatureSettings
  /** Wrong callbacks that it takes all the same: a profile without a timestamp, say, cannot tell a time. */
  readonly unable?: readonly string[]
  /** Rejects or answers false when it refuses. */
  readonly accepts: (received: Received, secret: string) => Promise<boolean> | boolean
}

const SHA512: SignatureSettings = { profile: 'hmac-sha512', header: 'x-paystack-signature' }
const CUSTOM: SignatureSettings = {
  profile: 'custom',
  header: 'X-Signature',
  algorithm: 'sha256',
  encoding: 'base64url',
  template: '{timestamp}:{method}:{url}:{body}',
  headers: { 'X-Timestamp': '{timestamp}' },
}

/** By profile: a new one needs a receiver that was not written here, where there is one. */
const RECEIVERS = {
  standard: [
    {
      name: 'standardwebhooks',
      settings: NAMED.standard,
      accepts: ({ headers, body }, secret) => {
        new Webhook(secret).verify(body, { ...headers })
        return true
      },
    },
    {
      name: 'svix',
      settings: NAMED.standard,
      accepts: ({ headers, body }, secret) => {
        new SvixWebhook(secret).verify(body, { ...headers })
        return true
      },
    },
  ],
  stripe: [
    {
      name: 'stripe',
      settings: NAMED.stripe,
      unable: ['future'],
      accepts: ({ headers, body }, secret) => {
        Stripe.webhooks.constructEvent(body, headers['Stripe-Signature'] ?? '', secret)
        return true
      },
    },
  ],
  github: [
    {
      name: '@octokit/webhooks-methods',
      settings: NAMED.github,
      unable: ['stale', 'future'],
      accepts: ({ headers, body }, secret) =>
        verifyGithub(secret, body.toString(), headers['X-Hub-Signature-256'] ?? ''),
    },
  ],
  rfc9421: [
    {
      name: 'http-message-signatures',
      settings: { profile: 'rfc9421', form: 'raw' },
      accepts: async (received, secret) => {
        const pair = deriveKeyPair(secret)
        const verify = createVerifier(pair.publicPem, 'ecdsa-p256-sha256')
        const key = { id: pair.keyid, algs: ['ecdsa-p256-sha256'], verify }
        const holds = await httpbis.verifyMessage(
          { keyLookup: async ({ keyid }) => (keyid === pair.keyid ? key : null) },
          { ...received, headers: { ...received.headers, 'content-type': 'application/json' } },
        )
        return holds === true && digestHolds(received)
      },
    },
    {
      name: 'node:crypto, DER',
      settings: { profile: 'rfc9421', form: 'der' },
      accepts: async (received, secret) => {
        const pair = deriveKeyPair(secret)
        const verify = async (data: Buffer, signature: Buffer) =>
          createVerify('sha256').update(data).verify({ key: pair.publicPem, dsaEncoding: 'der' }, signature)
        const holds = await httpbis.verifyMessage(
          { keyLookup: async ({ keyid }) => (keyid === pair.keyid ? { id: pair.keyid, verify } : null) },
          { ...received, headers: { ...received.headers, 'content-type': 'application/json' } },
        )
        return holds === true && digestHolds(received)
      },
    },
  ],
  'hmac-sha512': [
    {
      name: 'node:crypto, HMAC-SHA512',
      settings: SHA512,
      unable: ['stale', 'future'],
      accepts: ({ headers, body }, secret) =>
        same(headers['x-paystack-signature'], createHmac('sha512', secret).update(body).digest('hex')),
    },
  ],
  custom: [
    {
      name: 'node:crypto, custom',
      settings: CUSTOM,
      accepts: ({ method, url, headers, body }, secret) => {
        const timestamp = headers['X-Timestamp'] ?? ''
        const signed = Buffer.concat([Buffer.from(`${timestamp}:${method}:${url}:`), body])
        const expected = createHmac('sha256', secret).update(signed).digest('base64url')
        const age = Math.abs(Date.now() / 1000 - Number(timestamp))
        return age <= 300 && same(headers['X-Signature'], expected)
      },
    },
  ],
  token: [
    {
      name: 'token compared',
      settings: NAMED.token,
      unable: ['stale', 'future', 'tampered', 'truncated-body'],
      accepts: ({ headers }, secret) => same(headers['verif-hash'], secret),
    },
  ],
  none: [],
} satisfies Record<ProfileName, readonly Verifier[]>

export const VERIFIERS: readonly Verifier[] = Object.values(RECEIVERS).flat()

/** The libraries check what is signed; that the digest is the body's is left to the receiver. */
function digestHolds({ headers, body }: Received): boolean {
  return headers['Content-Digest'] === `sha-512=:${createHash('sha512').update(body).digest('base64')}:`
}

function same(given: string | undefined, expected: string): boolean {
  if (given === undefined || given.length !== expected.length) return false
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected))
}

/**
 * Whether a verifier takes what it received.
 * @param nowSeconds the receiver's wall clock; the libraries read it before their first await
 */
export async function accepted(
  verifier: Verifier,
  received: Received,
  secret: string,
  nowSeconds: number,
): Promise<boolean> {
  const real = Date.now
  let answer: Promise<boolean> | boolean
  Date.now = () => nowSeconds * 1000
  try {
    answer = verifier.accepts(received, secret)
  } catch {
    return false
  } finally {
    Date.now = real
  }
  return Promise.resolve(answer).catch(() => false)
}
