/** Receivers inside the sandbox: their addresses carry the world, and what they get is kept and looked at. */
import { createHmac } from 'node:crypto'
import { next } from '../domain/counters.ts'
import type { Look, Tx } from '../domain/context.ts'
import { invalid } from '../domain/errors.ts'
import type { InboxRow } from '../store/rows.ts'
import { beginningOf } from '../worlds/kept-text.ts'
import type { World } from '../worlds/world.ts'
import { checkSignatures } from '../signatures/doctor/check.ts'
import { inPlainWords } from './plain-words.ts'
import type { Outcome, Send } from './send.ts'
import { readSignatures } from '../signatures/read-signatures.ts'
import type { FirstSecret } from '../signatures/secrets.ts'
import { secretsOf } from '../signatures/world-secrets.ts'
import { safeEqual } from '../safe-equal.ts'

/** An HTTP status, or no answer. */
export type InboxAnswer = number | 'timeout'

export interface InboxScript {
  /** One after another; the last one stays. */
  readonly answers: readonly InboxAnswer[]
  readonly answered: number
}

/** A request to an inbox. */
export interface Delivered {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  /** It broke off before its end. */
  readonly cut?: boolean
}

export interface Inboxes {
  /** What to send as `callback_url`. @param origin scheme and authority of the sandbox */
  address(origin: string, world: string, inbox: string): string
  /** The world and inbox of an address that was made here. */
  find(url: string): { readonly world: string; readonly inbox: string } | undefined
  /** Keeps what came and answers as the script says; null is no answer. */
  receive(world: World, inbox: string, delivered: Delivered): Promise<number | null>
}

/** Messages that a world keeps, over all its inboxes. */
export const MESSAGES_KEPT = 500
const BODY_KEPT = 65_536
const MOST_SCRIPTS = 100
const PATH = /\/sandbox\/inbox\/([\w.-]{1,64})$/
const SCRIPTS = 'inbox-scripts'

type Scripts = { readonly [inbox: string]: InboxScript }

/** @param lifeOf what tells a world from earlier ones of its name: their addresses do not lead to it */
export function createInboxes(
  firstSecret: FirstSecret,
  lifeOf: (world: string) => string | undefined,
): Inboxes {
  const keyOf = (world: string) => {
    const life = lifeOf(world)
    const what = life === undefined ? 'inbox' : `inbox of life ${life}`
    const proof = createHmac('sha256', firstSecret(world)).update(what).digest('base64url').slice(0, 22)
    return `${Buffer.from(world).toString('base64url')}.${proof}`
  }
  return {
    address: (origin, world, inbox) => `${origin}/sandbox/inbox/${inbox}?key=${keyOf(world)}`,
    find(address) {
      if (!address.includes('/sandbox/inbox/') || !URL.canParse(address)) return undefined
      const { pathname, searchParams } = new URL(address)
      const inbox = PATH.exec(pathname)?.[1]
      const key = searchParams.get('key')
      if (inbox === undefined || key === null) return undefined
      const world = Buffer.from(key.split('.')[0]!, 'base64url').toString('utf8')
      return safeEqual(key, keyOf(world)) ? { world, inbox } : undefined
    },
    receive: (world, inbox, delivered) => receive(world, inbox, delivered, firstSecret),
  }
}

/** Takes callbacks to inboxes of the sandbox without a detour over the network; the rest goes on to `send`. */
export const toInboxes =
  (inboxes: Inboxes, worldOf: (name: string) => World | undefined, send: Send): Send =>
  async (outgoing) => {
    const found = inboxes.find(outgoing.url)
    const world = found && worldOf(found.world)
    if (!world) return send(outgoing)
    const { url, headers, body, cutAt = null } = outgoing
    const cut = cutAt !== null
    const came = cut ? Buffer.from(body).subarray(0, cutAt).toString('utf8') : body
    const status = await inboxes.receive(world, found.inbox, { url, headers, body: came, cut })
    if (cut) return unanswered('CUT_OFF', url)
    return status === null ? unanswered('ETIMEDOUT', url) : { status, error: '' }
  }

const unanswered = (code: string, url: string): Outcome => ({
  status: null,
  ...inPlainWords(Object.assign(new Error(code), { code }), url),
})

function receive(
  world: World,
  inbox: string,
  delivered: Delivered,
  firstSecret: FirstSecret,
): Promise<number | null> {
  const { url, headers, body, cut = false } = delivered
  return world.change((tx) => {
    const script = scriptOf(tx, inbox)
    const answer = script.answers[Math.min(script.answered, script.answers.length - 1)]!
    const answered = cut || answer === 'timeout' ? null : answer
    const row: InboxRow = {
      id: next(tx, 'inbox'),
      inbox,
      at: tx.now,
      wall_at: world.clock.date(),
      url,
      headers,
      body: beginningOf(body, BODY_KEPT),
      answered,
      ...look(tx, world, delivered, firstSecret),
    }
    tx.rows.insert('inbox', row)
    const excess = tx.rows.count('inbox', 'age', 0) - MESSAGES_KEPT
    for (const old of tx.rows.walk('inbox', 'age', 0, { offset: 0, limit: Math.max(0, excess) }))
      tx.rows.delete('inbox', old.id)
    const scripts = scriptsOf(tx)
    if (Object.hasOwn(scripts, inbox))
      keepScripts(tx, { ...scripts, [inbox]: { ...script, answered: script.answered + 1 } })
    return answered
  })
}

/** Looks at the signature with each secret that is good now; the first that fits wins. */
function look(tx: Tx, world: World, { url, headers, body }: Delivered, firstSecret: FirstSecret) {
  const signatures = readSignatures(world.settings.signatures)
  if (signatures.every(({ profile }) => profile === 'none'))
    return { signature_holds: null, signature: 'none' }
  const nowSeconds = Math.floor(world.clock.date() / 1000)
  const secrets = secretsOf(tx, world.name, firstSecret)
  const found = secrets.map(({ secret }) =>
    checkSignatures({ headers, body, url, secret, nowSeconds, signatures }),
  )
  const best = found.find((each) => each.every(({ holds }) => holds)) ?? found[0]!
  return {
    signature_holds: best.every(({ holds }) => holds),
    signature: best
      .map(({ profile, mistakes }) =>
        [profile ?? 'none', ...mistakes.map(({ message }) => message)].join(': '),
      )
      .join('; '),
  }
}

const scriptsOf = ({ rows }: Look) => (rows.get('state', SCRIPTS)?.value ?? {}) as Scripts

const keepScripts = (tx: Tx, value: Scripts) => tx.rows.put('state', { name: SCRIPTS, value })

/** What an inbox answers; 200 when nobody said otherwise. */
export function scriptOf(look: Look, inbox: string): InboxScript {
  const scripts = scriptsOf(look)
  return (Object.hasOwn(scripts, inbox) && scripts[inbox]) || { answers: [200], answered: 0 }
}

/** @throws ServiceError 400 when too many inboxes have a script */
export function writeScript(tx: Tx, inbox: string, answers: readonly InboxAnswer[] | null): void {
  const { [inbox]: _, ...others } = scriptsOf(tx)
  if (answers === null) return keepScripts(tx, others)
  if (Object.keys(others).length >= MOST_SCRIPTS)
    throw invalid(`${MOST_SCRIPTS} inboxes have answers already; empty one with DELETE /sandbox/inbox/{name}`)
  return keepScripts(tx, { ...others, [inbox]: { answers, answered: 0 } })
}
