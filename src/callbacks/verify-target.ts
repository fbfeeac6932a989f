/** Verifies receivers: a receiver must echo a challenge or serve a file before it gets the callbacks of a world. */
import { createHmac } from 'node:crypto'
import { safeEqual } from '../lib/safe-equal.ts'
import { isUrl } from '../lib/text/is-url.ts'
import { parsedJson } from '../lib/text/parsed-json.ts'
import { invalid } from '../service/domain/errors.ts'
import { protectionFor } from '../service/vocabulary/receiver-protection.ts'
import { CALLBACK_TARGETS } from '../worlds/settings.ts'
import type { World } from '../worlds/world.ts'
import type { DeliveryRoute } from './attempt.ts'
import { applyRewrites, checkTarget, TargetRefused, verifiedIn, type VerifiedTarget } from './target.ts'
import type { SendResult } from './send.ts'
import { readSignatures, signed } from './signatures/profiles/profiles.ts'
import { type FirstSecret, keysOf, secretsOf } from './signatures/secrets.ts'

export type Proof = 'echo' | 'file'

export const PROOF_PATH = '/.well-known/payments-sandbox.txt'
/** Milliseconds before a verification expires. */
const GOOD_FOR = 90 * 86_400_000
/** Maximum number of verified targets per world. When exceeded, the oldest is dropped. */
const MOST = 50

interface VerifierOptions extends DeliveryRoute {
  readonly firstSecret: FirstSecret
  readonly secrets: () => string
}

export type TargetVerifier = ReturnType<typeof createVerifier>

export function createVerifier(options: VerifierOptions) {
  const { firstSecret, staysInside, rewrites, mode, ports } = options
  const textOf = (world: World) =>
    createHmac('sha256', firstSecret(world.name))
      .update(`callback targets ${world.life ?? ''}`)
      .digest('base64url')
  return {
    isRequired: options.onlyVerified ?? false,
    /** Returns the text that a receiver serves at `PROOF_PATH`. */
    textOf,
    async verify(world: World, given: string, by: Proof): Promise<VerifiedTarget> {
      const url = applyRewrites(given, rewrites)
      if (staysInside(url)) throw invalid('url is an inbox of the sandbox, which needs no verification')
      requireTarget(url)
      await world.budget.take('callbacks')
      await world.budget.take('callbacks_per_day')
      await (by === 'echo'
        ? requireEcho(options, world, url)
        : requireFile(options, world, url, textOf(world)))
      const now = world.clock.wall()
      const target = { origin: new URL(url).origin, verified_at: now, expires_at: now + GOOD_FOR }
      await world.change((tx) => {
        const others = verifiedIn(tx).filter(
          ({ origin, expires_at }) => origin !== target.origin && expires_at > now,
        )
        tx.rows.put('state', { name: CALLBACK_TARGETS, value: [...others, target].slice(-MOST) })
      })
      return target
    },
  }

  function requireTarget(url: string): void {
    if (!isUrl(url)) throw invalid(`url must be an address such as https://shop.example, got "${url}"`)
    try {
      checkTarget(url, mode, ports)
    } catch (error) {
      if (error instanceof TargetRefused) throw invalid(error.message)
      throw error
    }
  }
}

/** @throws ServiceError 400 if the receiver does not respond with the challenge */
async function requireEcho(options: VerifierOptions, world: World, url: string): Promise<void> {
  const challenge = options.secrets()
  const wall = world.clock.date()
  const secrets = await world.read((look) => secretsOf(look, world.name, options.firstSecret))
  const body = JSON.stringify({ type: 'callback_target.verification', challenge })
  const out = signed({
    request: {
      id: `msg_${challenge}`,
      timestampSeconds: Math.floor(wall / 1000),
      method: 'POST',
      url,
      body,
      contentType: 'application/json',
    },
    signatures: readSignatures(world.settings.signatures),
    keys: keysOf(secrets),
  })
  const answer = await ask(options, world, url, out.body.toString('utf8'), out.headers)
  const text = (answer.body ?? '').trim()
  const { challenge: echoed } = (parsedJson(text) ?? {}) as { readonly challenge?: unknown }
  if (
    isTaken(answer) &&
    [text, echoed].some((each) => typeof each === 'string' && safeEqual(each, challenge))
  )
    return
  throw invalid(
    `${url} ${came(answer)} and not with the challenge: to the POST whose type is "callback_target.verification" answer 200 with its challenge, as the text alone or as {"challenge": "…"}; or serve a file, with {"by": "file"}`,
  )
}

/** @throws ServiceError 400 if the receiver does not serve the text */
async function requireFile(options: VerifierOptions, world: World, url: string, text: string): Promise<void> {
  const file = new URL(PROOF_PATH, url).href
  const answer = await ask(options, world, file, '', {}, 'GET')
  if (isTaken(answer) && safeEqual((answer.body ?? '').trim(), text)) return
  throw invalid(`${file} ${came(answer)} and not with the text ${text}, which it is to serve alone`)
}

async function ask(
  { send }: VerifierOptions,
  world: World,
  url: string,
  body: string,
  headers: { readonly [name: string]: string },
  method?: 'GET',
): Promise<SendResult> {
  const protection = protectionFor(world.settings.receiver_protection, url)
  const answer = await send({
    world: world.name,
    tls: protection?.tls,
    url,
    body,
    timeout: world.settings.callback_timeout,
    headers: {
      ...protection?.headers,
      host: new URL(url).host,
      'user-agent': 'payments-sandbox',
      ...(method
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    },
    ...(method && { method }),
  })
  return answer ?? { status: null, error: 'the sandbox is closing' }
}

const isTaken = ({ status }: SendResult) => status !== null && status >= 200 && status < 300

const came = ({ status, error }: SendResult) =>
  status === null ? `did not answer (${error})` : `answered ${status}`
