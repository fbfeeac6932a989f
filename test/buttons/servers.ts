import { readFileSync } from 'node:fs'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/lib/log/log.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { sharedAddress } from '../../dashboard/core/address.ts'
import { startMailServer } from '../support/mail-server.ts'
import { freePort } from '../support/suite.ts'
import { playerOf } from '../dashboard/server.ts'
import { fillAll } from '../dashboard/subjects.ts'

export type Mode = 'local' | 'hosted'

/** Number of payments generated in each local world before it is filled; none by default. */
const populate = process.env['POPULATE']

/** What the press fills into fields for an address. */
const EMAIL = 'payer@example.com'

const ADMIN_TOKEN = 'a token of its own for /__admin'

const environments: { readonly [mode in Mode]: Record<string, string> } = {
  local: {},
  hosted: {
    SANDBOX_MODE: 'hosted',
    SANDBOX_API_PASSWORD: 'a password of its own',
    SANDBOX_ADMIN_TOKEN: ADMIN_TOKEN,
    SANDBOX_SIGN_UP: 'open',
    SANDBOX_READER_WORLDS: 'on',
    // A suite presses faster than people do.
    SANDBOX_SIGN_UP_RATE: '1000',
    SANDBOX_SIGN_UP_ADDRESS_RATE: '1000',
    SANDBOX_SIGN_UP_REQUESTS: '1000000',
    SANDBOX_RATE_LIMIT: '1000000',
    SANDBOX_ADDRESS_RATE_LIMIT: '1000000',
  },
}

/** A world with something of everything that pages show, and what a visitor of its pages fills into forms. */
export interface Shown {
  readonly id: string
  readonly fields: { readonly [name: string]: string }
  /** The address of a page of the dashboard, which lets the visitor in. */
  readonly dashboard: (page: string) => string
  /** Puts all of it back to how it was when it was filled. */
  readonly restore: () => Promise<void>
}

/** The pages of the dashboard's menu, as their table has them. */
const pages = [...readFileSync('dashboard/pages.ts', 'utf8').matchAll(/\bpage\('([^']+)'/g)].map(
  ([, id]) => id!,
)

/** A sandbox over the network in one of the modes, with worlds that are filled. */
export async function startServer(mode: Mode) {
  const mail = mode === 'hosted' ? await startMailServer() : undefined
  // Links of mails lead to a configured address.
  const reserved = mail ? await freePort() : 0
  const sandbox = await createSandbox({
    config: readConfig({
      PORT: String(reserved),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'silent',
      SANDBOX_SETTLE_AFTER: '1h',
      SANDBOX_IN_CONTAINER: 'off',
      SANDBOX_METRICS: 'on',
      ...environments[mode],
      ...(mail && {
        SANDBOX_SMTP_URL: mail.url,
        SANDBOX_PUBLIC_URL: `http://127.0.0.1:${reserved}`,
      }),
    }),
    log: createLog({ level: 'silent', write: () => {}, terminal: false, now: () => 0 }),
  })
  const { port } = await sandbox.listen()
  const origin = `http://127.0.0.1:${port}`
  let worlds = 0
  const linksOfMails = () =>
    (mail?.mails() ?? []).flatMap((text) => /http\S+\/sign-up\/link\?token=[\w.-]+/.exec(text)?.[0] ?? [])
  if (mail) {
    // Someone signed up, whose passwords can be replaced.
    await fetch(`${origin}/sandbox/sign-up/links`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: EMAIL }),
    })
    await fetch(linksOfMails()[0]!, { method: 'POST', body: new URLSearchParams({ action: 'create' }) })
  }
  const [used] = linksOfMails()

  async function credentials() {
    if (mode === 'local' && populate === undefined)
      return { username: `demo+pressed${++worlds}`, password: 'demo' }
    const response =
      mode === 'hosted'
        ? await fetch(`${origin}/sandbox/sign-up`, { method: 'POST' })
        : await fetch(`${origin}/sandbox/worlds`, {
            method: 'POST',
            headers: {
              authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}`,
              'content-type': 'application/json',
            },
            body: JSON.stringify({ populate: { transactions: Number(populate) } }),
          })
    const made = (await response.json()) as { credentials: { username: string; password: string } }
    return made.credentials
  }

  async function fill(): Promise<Shown> {
    const { username, password } = await credentials()
    const player = playerOf(origin, username, password)
    const { world } = player
    await fillAll(player)
    for (const [rail, card] of [['card'], ['bank'], ['momo'], ['card', '4000 0025 0000 3155']] as const) {
      const reference = `open-${card ? 'challenged' : rail}`
      await world.pay({ rail, reference, operation: 'createGlobalPayment' })
      if (card) await world.checkout(reference).pay({ card: { number: card, expiry: '12/49', cvc: '123' } })
    }
    const { id: snapshot } = await world.snapshots.take('pressed')
    const restore = async () => {
      await world.snapshots.restore(snapshot)
      // The record of requests begins anew, and is to have the same again.
      await player.pay('refused-1', { amount: 'ten' })
      await world.fetch('/api/v2/account/63')
    }
    await restore()
    return {
      id: username,
      fields: {
        username,
        'current-password': password,
        'cc-number': '4242 4242 4242 4242',
        'cc-exp': '12/49',
        'cc-csc': '123',
        'cc-name': 'Achieng Odhiambo',
        token: ADMIN_TOKEN,
      },
      dashboard: (page) =>
        `${origin}/dashboard${sharedAddress({ world: username, page }, { username, password }).replaceAll('%2F', '/')}`,
      restore,
    }
  }
  return {
    origin,
    mode,
    pages,
    fill,
    /** Links of mails: used, broken by a mail program, and new. */
    mailed: () => (used ? [`${used}x&broken`, ...linksOfMails()] : []),
  }
}

export type Server = Awaited<ReturnType<typeof startServer>>
