/**
 * Links by e-mail, which create a world for an address or replace the lost passwords of its worlds. A link contains all that it
 * needs and a signature, so nothing is stored until it is used, and it works in every process and after a restart.
 */
import { createHmac } from 'node:crypto'
import { domainToASCII } from 'node:url'
import type { Wall } from '../lib/clock/clock.ts'
import type { Secrets } from '../lib/random/random.ts'
import { safeEqual } from '../lib/safe-equal.ts'
import { shown } from '../lib/text/shown.ts'
import { invalid, notFound, RateLimited, ServiceError } from '../service/domain/errors.ts'
import type { Counter, Counters } from '../storage/engine/shared-state.ts'
import type { WorldRegistry } from '../storage/engine/worlds.ts'
import type { MailRow } from '../storage/store/rows.ts'
import { hashDrawn } from './credentials.ts'
import type { GuestWorlds } from './guest-worlds.ts'
import { LINK_USED, shownKeys } from './registry.ts'
import type { World } from './world.ts'

export type Purpose = 'create' | 'recover'

interface Link {
  readonly purpose: Purpose
  /** The keyed hash of the address. */
  readonly contact: string
  /** Milliseconds. */
  readonly issued_at: number
  readonly name?: string | undefined
  /** The name of the sign-up token. */
  readonly token?: string | undefined
  /** Distinguishes the links of one moment. */
  readonly nonce: string
}

interface LinkOptions {
  readonly guests: GuestWorlds
  readonly registry: WorldRegistry
  /** Finds a world, opened if necessary. */
  readonly find: (name: string) => Promise<World | undefined>
  readonly home: string
  /** The key of links and of hashes of addresses. */
  readonly key: string
  /** Where links lead: the configured address, because a caller could choose the one of its request. */
  readonly publicUrl: string
  /** Whether sign-up needs an address. */
  readonly required: boolean
  /** Allowed domains and addresses. */
  readonly to: readonly string[] | '*'
  readonly send: (mail: Pick<MailRow, 'to' | 'subject' | 'text' | 'link'>) => Promise<void>
  readonly onUnsent: (error: unknown) => void
  readonly counters: Counters
  readonly secrets: Secrets
  readonly wall: Wall
  /** Maximum number of mails per hour for one caller and in all. */
  readonly most: { readonly caller: number; readonly all: number }
}

interface LinkRequest {
  readonly email: string
  readonly purpose: Purpose
  /** The caller's address; undefined within the process. */
  readonly caller: string | undefined
  readonly name?: string | undefined
  readonly token?: string | undefined
}

const HOUR = 3_600_000
/** How long a link works, milliseconds. */
export const LINK_TTL = HOUR / 2
/** Maximum number of mails to one address per hour, so that it cannot be flooded. */
const MOST_TO_ONE = 5
/** Maximum number of worlds of an address that a link recovers. */
const MOST_WORLDS = 20
const LONGEST_ADDRESS = 254
/** Characters of the hash of an address in the names of its worlds, by which they are found. */
const IN_NAME = 10

const LOCAL = /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}$/u
const DOMAIN = /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)+$/

/** Returns an address in its usual form. @throws ServiceError 400 */
function readAddress(given: string): string {
  const text = given.trim()
  const at = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, at).toLowerCase(), domainToASCII(text.slice(at + 1))]
  if (at < 1 || text.length > LONGEST_ADDRESS || !LOCAL.test(local) || !DOMAIN.test(domain))
    throw invalid(
      `email must be an address such as asha@shop.example, with at most ${LONGEST_ADDRESS} characters, got ${shown(given)}`,
    )
  return `${local}@${domain}`
}

export type SignUpLinks = ReturnType<typeof createSignUpLinks>

export function createSignUpLinks(options: LinkOptions) {
  const { guests, registry, find, home, key, publicUrl, required, send, onUnsent } = options
  const { to: allowed, counters, secrets, wall, most } = options
  const open = (of: string, count: number) => counters.open(of, { most: count, per: HOUR })
  const byCaller = open('sign-up mails of a caller', most.caller)
  const byAddress = open('sign-up mails to an address', MOST_TO_ONE)
  const byAll = open('sign-up mails', most.all)

  /** Returns the link of a token. @throws ServiceError 404 if it is invalid or has expired */
  function read(token: string): Link {
    const [payload = '', signature = '', ...rest] = token.split('.')
    const expired = new ServiceError(
      'resource_not_found',
      'this link is not valid, or it has expired: it works for 30 minutes',
    )
    if (!safeEqual(hash('link', payload), signature) || rest.length > 0) throw expired
    const link = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Link
    if (Math.abs(wall() - link.issued_at) > LINK_TTL) throw expired
    return link
  }

  /** Returns the worlds of a recovery link that it has not replaced the passwords of. */
  async function recoverable({ purpose, contact, issued_at }: Link): Promise<readonly World[]> {
    if (purpose !== 'recover') return []
    const { worlds } = await registry.list({ prefix: prefix(contact), limit: MOST_WORLDS })
    const found = await Promise.all(worlds.map(({ name }) => find(name)))
    return found.filter(
      (world): world is World => world?.template?.contact === contact && isOpen(world, issued_at),
    )
  }

  function requireAllowed(address: string): void {
    const domain = address.slice(address.lastIndexOf('@') + 1)
    if (allowed === '*' || allowed.includes(domain) || allowed.includes(address)) return
    throw invalid(`email must be an address that SANDBOX_MAIL_DOMAINS allows, got one at ${domain}`)
  }

  async function countMail(caller: string | undefined, contact: string): Promise<void> {
    const take = async (counter: Counter, name: string, count: number, what: string) => {
      const wait = count === Infinity ? 0 : await counter.take(name, wall())
      if (wait > 0) throw new RateLimited(`more than ${count} mails an hour ${what}`, Math.ceil(wait / 1_000))
    }
    if (caller !== undefined) await take(byCaller, caller, most.caller, 'for this caller')
    await take(byAddress, contact, MOST_TO_ONE, 'to this address')
    await take(byAll, 'all', most.all, 'for all')
  }

  function signed(link: Link): string {
    const payload = Buffer.from(JSON.stringify(link)).toString('base64url')
    return `${payload}.${hash('link', payload)}`
  }

  /** The end of a world's name, which makes the link single-use: another process or request finds the world there. */
  function suffix(contact: string, token: string): string {
    return `w-${contact.slice(0, IN_NAME)}${hash('world', token).slice(0, 8)}`
  }

  function prefix(contact: string): string {
    return `${home}+w-${contact.slice(0, IN_NAME)}`
  }

  function hash(purpose: string, text: string): string {
    return createHmac('sha256', key).update(`${purpose}\0${text}`).digest('base64url')
  }

  return {
    required,
    /**
     * Sends a mail with a link. The answer and the work are the same for addresses with and without worlds.
     * @returns when the link expires, milliseconds
     * @throws ServiceError 400 for an invalid address, RateLimited 429, 503 if the mail was not accepted
     */
    async send({ email, purpose, caller, name, token }: LinkRequest): Promise<number> {
      const to = readAddress(email)
      requireAllowed(to)
      const contact = hash('address', to)
      await countMail(caller, contact)
      const issued_at = wall()
      const link: Link = { purpose, contact, issued_at, nonce: secrets(), name, token }
      const { total } = await registry.list({ prefix: prefix(contact), limit: 1 })
      const mail = purpose === 'recover' && total === 0 ? noWorlds : mails[purpose]
      try {
        await send({ to, ...mail(publicUrl, `${publicUrl}/sign-up/link?token=${signed(link)}`) })
      } catch (error) {
        onUnsent(error)
        throw new ServiceError(
          'unavailable',
          'the mail server did not accept the mail, and nothing was created; check the address, or try again later',
        )
      }
      return issued_at + LINK_TTL
    },
    read,
    /** Returns the worlds that a link recovers, undefined if it creates one. @throws ServiceError 400 if it did */
    async open(token: string): Promise<readonly World[] | undefined> {
      const link = read(token)
      if (link.purpose === 'recover') return recoverable(link)
      if (await find(`${home}+${suffix(link.contact, token)}`)) throw invalid(LINK_USED)
      return undefined
    },
    /** Creates the world of a link. @throws ServiceError 400 if the link was used */
    create(token: string) {
      const { purpose, contact, name, token: by } = read(token)
      const { signUp, tokens } = guests.rules
      if (purpose !== 'create') throw invalid('this link does not create a world')
      if (signUp === 'token' && !tokens.some((each) => each.name === by))
        throw invalid(`the sign-up token ${by} was revoked; sign up again with another`)
      const identity = { suffix: suffix(contact, token), contact }
      return guests.make('sign-up', { address: undefined, name, token: by, identity })
    },
    /** Replaces the passwords of a world. @throws ServiceError 400 if the link was used for it, 404 if it is not the address's */
    async recover(token: string, name: string) {
      const link = read(token)
      const world = (await recoverable(link)).find((each) => each.name === name)
      if (!world) throw notFound('world', name)
      const passwords = world.template!.api_keys.map(() => secrets())
      const hashes = passwords.map(hashDrawn)
      await world.changeTemplate(({ api_keys }, { rows }) => {
        // Another request may have used the link meanwhile.
        if (!isOpen(world, link.issued_at)) throw invalid('this link was used for this world')
        const keys = api_keys.map((key, n) => ({ ...key, password_hash: hashes[n]! }))
        for (const [n, key] of keys.entries()) {
          const kept = rows.get('apiKeys', key.username)
          // The first key is the owner's, who must get in.
          const revoked_at = n === 0 ? null : (kept?.revoked_at ?? null)
          rows.put('apiKeys', { ...(kept ?? key), password_hash: key.password_hash, revoked_at })
        }
        return { api_keys: keys, recovered_at: Math.max(wall(), link.issued_at + 1) }
      })
      return { world, api_keys: shownKeys(world.template!.api_keys, passwords, world.name) }
    },
  }
}

const isOpen = ({ template }: World, issued_at: number) => (template?.recovered_at ?? 0) <= issued_at

const OTHERWISE = 'If you did not ask for it, ignore this mail: nothing changes.'

const mailWith = (subject: string, aim: string) => (at: string, link: string) => ({
  subject,
  text: `Open this link within 30 minutes to ${aim} of the payments sandbox at ${at}:\n\n${link}\n\n${OTHERWISE}`,
  link,
})
const mails: { readonly [P in Purpose]: ReturnType<typeof mailWith> } = {
  create: mailWith('Create your sandbox world', 'create your world'),
  recover: mailWith('New passwords for your sandbox worlds', 'replace the passwords of your worlds'),
}

const noWorlds = (at: string) => ({
  subject: 'No sandbox world for this address',
  text: `Someone asked for new passwords of the worlds of this address at the payments sandbox at ${at}. There are none: they may have signed up with another address, or they were deleted after a time without calls.\n\n${OTHERWISE}`,
  link: '',
})
