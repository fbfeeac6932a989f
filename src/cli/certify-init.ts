import { connect } from '../client/connect.ts'
import { SandboxError } from '../client/transport.ts'
import { reasonOf } from './failures.ts'
import type { Target } from './options.ts'
import { exitCodes } from './output.ts'
import type { Process } from './process.ts'
import type { WorldClient } from '../client/types.ts'
import { writeYaml } from '../lib/text/yaml-text.ts'
import type { ProfileFile } from '../certify/profile.ts'
import { type ShopRequest, START, newRequests } from '../certify/world-record.ts'
import { type Feature, implied, shownBy } from '../certify/profile.ts'

const USUAL = { url: 'http://127.0.0.1:3000/callback', within: '5s', signatures: 'standard' } as const

/** A profile drafted from a record. */
interface ProfileDraft {
  /** The source of the draft. */
  readonly observed: string
  readonly profile: ProfileFile & { readonly receiver: { readonly url: string } }
}

/** The draft if no sandbox answers. Certify then starts one. */
const UNSEEN: ProfileDraft = {
  observed: 'No sandbox answered, so these are default values: correct them.',
  profile: { profile: 'my-shop', receiver: USUAL, features: ['collect', 'reversals', 'status-queries'] },
}

/** Prints a draft profile, even if no sandbox answers. @returns The exit code. */
export async function printProfile({ out, err }: Process, target: Target, json = false): Promise<number> {
  try {
    const { url, ...credentials } = target
    const found = await draftOf(connect(url, credentials), url)
    out.write(json ? `${JSON.stringify({ kind: 'profile', ...found })}\n` : profileText(found))
    return exitCodes.done
  } catch (error) {
    if (error instanceof SandboxError) err.write(`${error.message}\n`)
    else if (error instanceof TypeError) {
      err.write(`${reasonOf(error, target.url)}: the profile below contains default values\n`)
      out.write(json ? `${JSON.stringify({ kind: 'profile', ...UNSEEN })}\n` : profileText(UNSEEN))
    } else throw error
    return exitCodes.unreachable
  }
}

async function draftOf(world: WorldClient, url: string): Promise<ProfileDraft> {
  const [requests, { name, id }] = await Promise.all([newRequests(world, START), world.show()])
  const features = shownBy.filter(([, pattern]) =>
    requests.some(({ operation }) => pattern.test(operation ?? '')),
  )
  const callbacks = [...new Set(requests.flatMap(callbackOf))]
  const known = callbacks.find((each) => !each.includes('/sandbox/inbox/'))
  const observed =
    requests.length === 0
      ? 'The request log of the world is empty: take a payment in the shop, and run this command again.'
      : `Based on ${requests.length === 1 ? '1 request' : `${requests.length} requests`} of the world ${id}.`
  return {
    observed,
    profile: {
      profile: name ?? 'my-shop',
      sandbox: url,
      receiver: { ...USUAL, ...(known !== undefined && { url: known }) },
      features: [...new Set<Feature>(['collect', ...features.map(([feature]) => feature), ...implied])],
    },
  }
}

/** Returns the draft as a file with placeholders for the missing parts. */
function profileText({ observed, profile }: ProfileDraft): string {
  const { origin } = new URL(profile.receiver.url)
  return `# ${observed} All fields: docs/certification.md
${writeYaml(profile)}
# Starts one payment in the shop, with the placeholders \${order}, \${amount} and \${phone}. Alternatives: command: …, or manual: true.
trigger:
  http:
    method: POST
    url: ${origin}/test/checkout
    body: { order: '\${order}', amount: '\${amount}', phone: '\${phone}' }

# Returns the state of an order in the shop. Required to detect duplicate deliveries.
probe:
  http: { url: '${origin}/test/orders/\${order}' }
  read: { state: $.status, fulfilled: $.deliveries }
  means: { open: [waiting], paid: [paid], failed: [failed], reversed: [reversed], flagged: [unclear] }

# restart: { command: docker compose restart shop }
# waivers: { RCV-18: { until: 2027-01-31, by: Jane Doe, ticket: SHOP-12, because: overpayments go to support } }
`
}

function callbackOf({ body }: ShopRequest): readonly string[] {
  const { callback_url, payment_config } = (body ?? {}) as {
    readonly callback_url?: unknown
    readonly payment_config?: { readonly callback_url?: unknown }
  }
  return [callback_url, payment_config?.callback_url].filter(
    (each): each is string => typeof each === 'string' && each.startsWith('http'),
  )
}
