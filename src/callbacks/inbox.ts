/** Receivers inside the sandbox. Their addresses contain the world, and they record all requests. */
import { createHmac } from 'node:crypto'
import { safeEqual } from '../lib/safe-equal.ts'
import { urlOf } from '../lib/text/is-url.ts'
import { OWN_KEY } from '../service/domain/callbacks.ts'
import { type Look, next, type Tx } from '../service/domain/context.ts'
import { invalid } from '../service/domain/errors.ts'
import type { InboxRow } from '../storage/store/rows.ts'
import { beginningOf } from '../worlds/request-log.ts'
import type { World } from '../worlds/world.ts'
import { messageOfFailure } from './failure-messages.ts'
import type { Send, SendResult } from './send.ts'
import { checkSignatures } from './signatures/doctor/check.ts'
import { readSignatures } from './signatures/profiles/profiles.ts'
import { type FirstSecret, secretsOf } from './signatures/secrets.ts'

export interface InboxDelivery {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  /** Whether the request broke off. */
  readonly cut?: boolean
}

export type Inboxes = ReturnType<typeof createInboxes>

/** Maximum number of messages in all inboxes of a world. */
export const MESSAGES_KEPT = 500
const BODY_KEPT = 65_536
const PATH = /\/sandbox\/inbox\/([\w.-]{1,64})$/

/** @param lifeOf - Returns `World.life`, so that addresses of earlier worlds of the same name do not work. */
export function createInboxes(firstSecret: FirstSecret, lifeOf: (world: string) => string | undefined) {
  const keyOf = (world: string) => {
    const life = lifeOf(world)
    const what = life === undefined ? 'inbox' : `inbox of life ${life}`
    const proof = createHmac('sha256', firstSecret(world)).update(what).digest('base64url').slice(0, 22)
    return `${Buffer.from(world).toString('base64url')}.${proof}`
  }
  return {
    /** Returns the `callback_url` of an inbox. @param origin - The origin of the sandbox. */
    address: (origin: string, world: string, inbox: string) =>
      `${origin}/sandbox/inbox/${inbox}?key=${keyOf(world)}`,
    /**
     * Returns the world and inbox of an address.
     * @param sender - The world of the callback, whose inboxes have the key `own`.
     */
    find(address: string, sender?: string): { readonly world: string; readonly inbox: string } | undefined {
      const url = address.includes('/sandbox/inbox/') ? urlOf(address) : undefined
      const inbox = url && PATH.exec(url.pathname)?.[1]
      const key = url?.searchParams.get('key') ?? null
      if (inbox === undefined || key === null) return undefined
      if (key === OWN_KEY) return sender === undefined ? undefined : { world: sender, inbox }
      const world = worldOfKey(key)
      return safeEqual(key, keyOf(world)) ? { world, inbox } : undefined
    },
    /** Returns the world of an address, unchecked. The world must be open before `find`. */
    worldIn(address: string): string | undefined {
      const url = address.includes('/sandbox/inbox/') ? urlOf(address) : undefined
      const key = url?.searchParams.get('key') ?? null
      return key === null || key === OWN_KEY ? undefined : worldOfKey(key)
    },
    /** Stores the request and returns the status of the script, or null for no response. */
    receive: (world: World, inbox: string, delivered: InboxDelivery) =>
      receive(world, inbox, delivered, firstSecret),
  }
}

/** Delivers callbacks for inboxes directly, and passes all others to `send`. */
export const toInboxes =
  (inboxes: Inboxes, worldOf: (name: string) => Promise<World | undefined>, send: Send): Send =>
  async (outgoing) => {
    const named = inboxes.worldIn(outgoing.url)
    if (named !== undefined) await worldOf(named)
    const found = inboxes.find(outgoing.url, outgoing.world)
    const world = found && (await worldOf(found.world))
    if (!world) return send(outgoing)
    const { url, headers, body, cutAt = null, loseAnswer } = outgoing
    const cut = cutAt !== null
    const came = cut ? Buffer.from(body).subarray(0, cutAt).toString('utf8') : body
    const status = await inboxes.receive(world, found.inbox, { url, headers, body: came, cut })
    if (cut) return unanswered('CUT_OFF', url)
    if (loseAnswer) return unanswered('LOST', url)
    return status === null ? unanswered('ETIMEDOUT', url) : { status, error: '' }
  }

const worldOfKey = (key: string) => Buffer.from(key.split('.')[0]!, 'base64url').toString('utf8')

const unanswered = (code: string, url: string): SendResult => ({
  status: null,
  ...messageOfFailure(Object.assign(new Error(code), { code }), url),
})

async function receive(
  world: World,
  inbox: string,
  delivered: InboxDelivery,
  firstSecret: FirstSecret,
): Promise<number | null> {
  const { url, headers, body, cut = false } = delivered
  return world.change((tx) => {
    const answer = nextAnswer(tx, inbox)
    const response_status = cut || answer === 'timeout' ? null : answer
    const row: InboxRow = {
      id: next(tx, 'inbox'),
      inbox,
      at: tx.now,
      real_at: world.clock.date(),
      url,
      headers,
      body: beginningOf(body, BODY_KEPT),
      response_status,
      ...look(tx, world, delivered, firstSecret),
    }
    tx.rows.insert('inbox', row)
    for (let left = tx.rows.count('inbox', 'age', 0); left > 1; left--) {
      if (left <= MESSAGES_KEPT && world.inboxBytes <= world.budget.limits.inboxes) break
      const [oldest] = tx.rows.walk('inbox', 'age', 0, { offset: 0, limit: 1 })
      tx.rows.delete('inbox', oldest!.id)
    }
    return response_status
  })
}

/** Checks the signature with each currently valid secret. */
function look(tx: Tx, world: World, { url, headers, body }: InboxDelivery, firstSecret: FirstSecret) {
  const signatures = readSignatures(world.settings.signatures)
  if (signatures.every(({ profile }) => profile === 'none'))
    return { signature_valid: null, signature: 'none' }
  const nowSeconds = Math.floor(world.clock.date() / 1000)
  const secrets = secretsOf(tx, world.name, firstSecret)
  const found = secrets.map(({ secret }) =>
    checkSignatures({ headers, body, url, secret, nowSeconds, signatures }),
  )
  const best = found.find((each) => each.every(({ valid: holds }) => holds)) ?? found[0]!
  return {
    signature_valid: best.every(({ valid: holds }) => holds),
    signature: best
      .map(({ profile, mistakes }) =>
        [profile ?? 'none', ...mistakes.map(({ message }) => message)].join(': '),
      )
      .join('; '),
  }
}

/** An HTTP status, or no response. */
export type InboxResponse = number | 'timeout'

export interface InboxScript {
  /** Used one after another; the last one repeats. */
  readonly responses: readonly InboxResponse[]
  readonly responses_sent: number
}

const MOST_SCRIPTS = 100
const SCRIPTS = 'inbox-scripts'

type Scripts = { readonly [inbox: string]: InboxScript }

const scriptsOf = ({ rows }: Look) => (rows.get('state', SCRIPTS)?.value ?? {}) as Scripts

const keepScripts = (tx: Tx, value: Scripts) => tx.rows.put('state', { name: SCRIPTS, value })

/** Returns the script of an inbox; by default it responds with 200. */
export function scriptOf(look: Look, inbox: string): InboxScript {
  const scripts = scriptsOf(look)
  return (Object.hasOwn(scripts, inbox) && scripts[inbox]) || { responses: [200], responses_sent: 0 }
}

export const scriptedInboxes = (look: Look): readonly string[] => Object.keys(scriptsOf(look))

/** @throws ServiceError 400 if too many inboxes have a script */
export function writeScript(tx: Tx, inbox: string, answers: readonly InboxResponse[] | null): void {
  const { [inbox]: _, ...others } = scriptsOf(tx)
  if (answers === null) return keepScripts(tx, others)
  if (Object.keys(others).length >= MOST_SCRIPTS)
    throw invalid(
      `${MOST_SCRIPTS} inboxes have scripted responses already; empty one with DELETE /sandbox/inbox/{name}`,
    )
  return keepScripts(tx, { ...others, [inbox]: { responses: answers, responses_sent: 0 } })
}

/** Returns the next response of an inbox and advances its script. */
function nextAnswer(tx: Tx, inbox: string): InboxResponse {
  const script = scriptOf(tx, inbox)
  const { responses: answers, responses_sent } = script
  const scripts = scriptsOf(tx)
  if (Object.hasOwn(scripts, inbox))
    keepScripts(tx, { ...scripts, [inbox]: { ...script, responses_sent: responses_sent + 1 } })
  return answers[Math.min(responses_sent, answers.length - 1)]!
}
