import { handlers, ok } from './page.ts'
import { eventId } from '../callbacks/attempt.ts'
import { checkSignatures } from '../callbacks/signatures/doctor/check.ts'
import {
  checkSecret,
  rotate,
  secretsOf,
  signingKeys,
  type WorldSecret,
} from '../callbacks/signatures/secrets.ts'
import { readSignatures } from '../callbacks/signatures/profiles/profiles.ts'
import { sliceOf } from '../lib/clock/time-slice.ts'
import { invalid, noneLeft } from '../service/domain/errors.ts'
import { exactTime, readDuration } from '../service/domain/wire-time.ts'
import type { World } from '../worlds/world.ts'

const A_PAGE = 1_000

export const signatures = handlers(({ firstSecret }) => ({
  async checkSignature({ world, request }) {
    const { headers, body, secret, url, method, received_at, ...rest } = request.body
    noneLeft(rest)
    const id = Object.entries(headers).find(([name]) => name.toLowerCase() === 'webhook-id')?.[1]
    const secrets = await world.read((look) => secretsOf(look, world.name, firstSecret))
    const sentBodies = id === undefined ? [] : await bodiesSent(world, id)
    const asked = {
      headers,
      body,
      url,
      method,
      signatures: readSignatures(world.settings.signatures),
      sentBodies,
      nowSeconds: Math.floor(
        (received_at === undefined ? world.clock.date() : Date.parse(received_at)) / 1000,
      ),
    }
    const diagnoses = checkSignatures({ ...asked, secret: secret ?? secrets[0]!.secret })
    const answer = diagnoses.map((each) => ({ ...each, mistakes: [...each.mistakes] }))
    return ok({ valid: diagnoses.every((each) => each.valid), diagnoses: answer })
  },

  getSigningSecret: {
    read: (look, { world }) => ok(secretView(world, secretsOf(look, world.name, firstSecret))),
  },

  rotateSigningSecret: {
    change(tx, { world, request }) {
      const { overlap = '24h', secret, ...rest } = request.body
      noneLeft(rest)
      const ms = readDuration('overlap', overlap)
      if (secret !== undefined) requireSecret(secret)
      return ok(secretView(world, rotate(tx, world.name, firstSecret, ms, secret)))
    },
  },

  getSigningKeys: {
    read(look, { world }) {
      const pairs = pairsOf(secretsOf(look, world.name, firstSecret))
      return ok({ keys: pairs.map(({ publicJwk }) => ({ ...publicJwk })) })
    },
  },
}))

const pairsOf = (secrets: readonly WorldSecret[]) => secrets.map(({ secret }) => signingKeys([secret]).pair)

function secretView(world: World, secrets: readonly WorldSecret[]) {
  return {
    secret: secrets[0]!.secret,
    previous: secrets
      .slice(1)
      .map(({ secret, valid_until }) => ({ secret, valid_until: exactTime(valid_until!) })),
    signatures: world.settings.signatures,
    public_keys: pairsOf(secrets).map(({ keyid, publicPem }) => ({ keyid, pem: publicPem })),
  }
}

function requireSecret(secret: string): void {
  try {
    checkSecret(secret, 'secret')
  } catch (error) {
    throw invalid((error as Error).message)
  }
}

/** Returns the bodies sent under an event id, which distinguish a changed body from a wrong secret. */
async function bodiesSent(world: World, id: string): Promise<string[]> {
  const bodies = []
  const slice = sliceOf(world.name)
  for (let before = Infinity; ;) {
    const page = await world.read(({ rows }) => rows.below('callbacks', { before, limit: A_PAGE }))
    for (const row of page) {
      if (slice.over) await slice.next()
      if (eventId(world.name, row) === id) bodies.push(row.body)
    }
    if (page.length < A_PAGE) return bodies
    before = page.at(-1)!.id
  }
}
