import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { browserFile } from '../lib/files.ts'
import type { ControlDependencies } from '../control/dependencies.ts'
import { createdWorld } from '../control/worlds.ts'
import { invalid } from '../service/domain/errors.ts'
import { formatBytes } from '../lib/text/bytes.ts'
import { formatDuration } from '../lib/text/duration.ts'
import type { BudgetItem, Plan } from '../worlds/budget.ts'
import { budgetItems } from '../worlds/limits.ts'
import type { GuestWorlds } from '../worlds/guest-worlds.ts'
import type { CreatedWorld } from '../generated/control/types.ts'
import { refuseForeignOrigin } from '../http/admin-guard.ts'
import { counted } from '../http/authorize.ts'
import type { Dependencies } from '../http/dependencies.ts'
import type { Env } from '../http/exchange.ts'
import { mountOf, originOf } from '../http/caller.ts'
import { readForm, refusedForm, page, sheetStyle } from './page.ts'
import { LINK_TTL, type SignUpLinks } from '../worlds/sign-up-links.ts'
import type { World } from '../worlds/world.ts'

/** Maximum length of a world's name. */
const LONGEST_NAME = 64

/** `/sign-up`: creates a world for people without a key, and recovers lost ones. The forms need no script. */
export function signUpPages(
  app: Hono<Env>,
  serving: Dependencies,
  steering: Pick<ControlDependencies, 'worlds' | 'inboxes' | 'firstSecret' | 'links'>,
): void {
  const { guests, callers, countedAs } = serving
  const { links } = steering
  const { signUp } = guests.rules
  if (signUp === 'off') return

  /** Handles a form of our own pages. */
  const post = (path: string, work: (c: Context<Env>) => Response | Promise<Response>) =>
    app.post(path, async (c) => {
      refuseForeignOrigin(c)
      try {
        return await work(c)
      } catch (error) {
        return refusedForm(c, error)
      }
    })

  /** @throws {ServiceError} 401, or 429 after too many wrong tokens */
  const tokenOf = (c: Context, given: string | undefined) =>
    counted(c, callers, () => guests.requireSignUp(given?.trim()), true)

  app.get('/sign-up', (c) => asked(c, guests, links))

  post('/sign-up', async (c) => {
    const { fields } = await readForm(c, ['sign-up'])
    const name = fields.get('name')?.trim() ?? ''
    if (name.length > LONGEST_NAME)
      throw invalid(`name must have at most ${LONGEST_NAME} characters, got ${name.length}`)
    const token = await tokenOf(c, fields.get('token') ?? undefined)
    const email = fields.get('email')?.trim() ?? ''
    const caller = countedAs(c)
    if (links && (email !== '' || links.required)) {
      await links.send({ email, purpose: 'create', caller, name, token })
      return sentPage(c)
    }
    const made = await guests.make('sign-up', { address: caller, name, token })
    return shown(c, await createdWorld(steering, made, originOf(c)), guests)
  })

  if (!links) return

  app.get('/sign-up/recover', (c) => recoverPage(c))

  post('/sign-up/recover', async (c) => {
    const { fields } = await readForm(c, ['recover'])
    await links.send({ email: fields.get('email') ?? '', purpose: 'recover', caller: countedAs(c) })
    return sentPage(c)
  })

  // Programs that check mails open links, so only the form uses them.
  app.get('/sign-up/link', async (c) => {
    try {
      return linkPage(c, await links.open(c.req.query('token') ?? ''))
    } catch (error) {
      return refusedLink(c, error)
    }
  })

  post('/sign-up/link', async (c) => {
    const token = c.req.query('token') ?? ''
    try {
      const { action, fields } = await readForm(c, ['create', 'recover'])
      const made = await (action === 'create'
        ? links.create(token)
        : links.recover(token, fields.get('world') ?? ''))
      return shown(c, await createdWorld(steering, made, originOf(c)), guests, action === 'recover')
    } catch (error) {
      return refusedLink(c, error)
    }
  })
}

const refusedLink = (c: Context, error: unknown) =>
  refusedForm(c, error, { to: `${mountOf(c)}/sign-up`, text: 'Get another link' })

/** A page with a form that has our origin: browsers omit `Sec-Fetch-Site` over plain HTTP, and the Origin proves it then. */
const formPage = (c: Context, title: string, body: unknown) =>
  page(c, { title, referrers: 'same-origin', style: sheetStyle, moreStyle: style, body })

const emailField = (required: boolean) =>
  html`<label
    >E-mail address ${required ? '' : html`<span>optional; lost passwords are replaced through it</span>`}
    <input name="email" type="email" maxlength="254" autocomplete="email" ${required ? 'required' : ''} />
  </label>`

function asked(c: Context, guests: GuestWorlds, links: SignUpLinks | undefined) {
  const { rules } = guests
  const needsToken = rules.signUp === 'token'
  const plan = needsToken ? undefined : guests.planOf(undefined)
  return formPage(
    c,
    'Create your own world',
    html`<h1>Create your own world</h1>
      <p>
        A private copy of the service: Teams with money in their wallets, your own API keys, and a clock that
        you control. No money moves. The world is deleted after ${ttlInWords(rules, plan)} without calls.
      </p>
      ${plan && html`<p>Plan ${plan.name}: ${limitsInWords(plan)}.</p>`}
      <form method="post">
        <label
          >Name <span>optional</span>
          <input name="name" maxlength="${LONGEST_NAME}" autocomplete="off" />
        </label>
        ${links ? emailField(links.required) : ''}
        ${
          needsToken
            ? html`<label
                >Sign-up token
                <input name="token" type="password" required autocomplete="off" />
              </label>`
            : ''
        }
        <button name="action" value="sign-up">Create world</button>
      </form>
      ${links && html`<p class="quiet"><a href="${mountOf(c)}/sign-up/recover">I lost my passwords</a></p>`}
      <p class="quiet"><a href="${mountOf(c)}/">What is this?</a></p>`,
  )
}

const recoverPage = (c: Context) =>
  formPage(
    c,
    'Replace lost passwords',
    html`<h1>Replace lost passwords</h1>
      <p>Enter the e-mail address that you signed up with. The sandbox sends a link to it.</p>
      <form method="post">
        ${emailField(true)}
        <button name="action" value="recover">Send link</button>
      </form>
      <p class="quiet"><a href="${mountOf(c)}/sign-up">Create a new world</a></p>`,
  )

/** The same for addresses with and without worlds. */
const sentPage = (c: Context) =>
  formPage(
    c,
    'Check your mail',
    html`<h1>Check your mail</h1>
      <p class="outcome" role="status">
        The sandbox sent a mail to this address. Open its link within ${inWords(LINK_TTL)}.
      </p>
      <p class="quiet">If none arrives, look among unwanted mail, or check the address.</p>`,
  )

/** @param worlds - The worlds to recover; undefined for a link that creates one. */
const linkPage = (c: Context, worlds: readonly World[] | undefined) =>
  worlds === undefined
    ? formPage(
        c,
        'Create your world',
        html`<h1>Create your world</h1>
          <p>Your e-mail address is confirmed.</p>
          <form method="post"><button name="action" value="create">Create world</button></form>`,
      )
    : formPage(
        c,
        'Replace passwords',
        html`<h1>Replace passwords</h1>
          ${
            worlds.length === 0
              ? html`<p class="outcome" role="status">This link was used for all your worlds.</p>`
              : html`<p>The current passwords of the world stop working.</p>`
          }
          ${worlds.map(
            ({ name, settings }) =>
              html`<form method="post">
                <p><bdi>${settings.name}</bdi> <code>${name}</code></p>
                <input type="hidden" name="world" value="${name}" />
                <button name="action" value="recover" aria-label="${`New passwords for ${name}`}">
                  New passwords
                </button>
              </form>`,
          )}`,
      )

const ttlInWords = ({ ttl }: GuestWorlds['rules'], plan: Plan | undefined) =>
  inWords(ttl(`sign-up ${plan?.name ?? ''}`))

function shown(c: Context, made: CreatedWorld, { rules }: GuestWorlds, isRecovered = false) {
  const plan = rules.plans.get(made.world.plan ?? '')
  const { username, password, default_account_id } = made.credentials
  const { base_url, inbox_url, signing_secret } = made
  const [, viewer] = made.api_keys
  const environment = `SANDBOX_URL=${base_url}
API_USERNAME=${username}
API_PASSWORD=${password}
ACCOUNT_ID=${default_account_id}${isRecovered ? '' : `\nSIGNING_SECRET=${signing_secret}`}
CALLBACK_URL=${inbox_url}`
  const curl = `curl -u '${username}:${password}' ${base_url}/api/v2/payment_channels`
  return page(c, {
    title: 'Your world',
    style: sheetStyle,
    moreStyle: style,
    body: html`<h1>Your world</h1>
      <p class="outcome" role="status">
        ${isRecovered ? 'Your world has new passwords. Save them' : 'Your world is ready. Save its password'}
        now: ${isRecovered ? 'they are' : 'it is'} not shown again.
      </p>
      <dl>
        <dt>API username</dt>
        <dd><code>${username}</code></dd>
        <dt>API password</dt>
        <dd><code>${password}</code></dd>
        ${
          viewer
            ? html`<dt>Read-only key</dt>
                <dd><code>${viewer.username}</code> <code>${viewer.password}</code></dd>`
            : ''
        }
        ${
          plan
            ? html`<dt>Plan</dt>
                <dd>${plan.name}: ${limitsInWords(plan)}</dd>`
            : ''
        }
      </dl>
      <h2>In your environment</h2>
      <pre tabindex="0" aria-label="In your environment"><code>${environment}</code></pre>
      <h2>The first request</h2>
      <pre tabindex="0" aria-label="The first request"><code>${curl}</code></pre>
      <p class="actions">
        <a class="button" href="${mountOf(c)}/dashboard#${dashboardOf(made)}">Open it in the dashboard</a>
        <a class="button quiet" href="${mountOf(c)}/docs/guides/quick-start">The first payment</a>
      </p>
      <p class="quiet">The world is deleted after ${ttlInWords(rules, plan)} without calls.</p>`,
  })
}

/** The fragment of a dashboard link that contains the key; browsers do not send fragments to servers. */
function dashboardOf({ world, credentials: { username, password } }: CreatedWorld): string {
  const key = Buffer.from(`${username}:${password}`).toString('base64url')
  return `/${encodeURIComponent(world.id)}/live?k=${key}`
}

function limitsInWords({ limits, worlds }: Plan): string {
  const items = Object.entries(limits as { readonly [item: string]: number | undefined })
  const words = items.flatMap(([item, limit]) => {
    if (limit === undefined) return []
    const { unit } = budgetItems[item as BudgetItem]
    const amount = limit === Infinity ? 'unlimited' : unit === 'bytes' ? formatBytes(limit) : String(limit)
    const per = unit === 'per_minute' ? ' a minute' : unit === 'per_day' ? ' a day' : ''
    return [`${amount} ${item.replaceAll('_', ' ').replace(' per day', '')}${limit === Infinity ? '' : per}`]
  })
  return [...words, ...(worlds === undefined ? [] : [`${worlds} further worlds`])].join(', ')
}

const units = { d: 'day', h: 'hour', m: 'minute', s: 'second' } as const

/** Formats whole days as `7 days`, and others as a duration. */
function inWords(ms: number): string {
  const [, amount, unit] = /^(\d+)([dhms])$/.exec(formatDuration(ms)) ?? []
  if (!amount) return formatDuration(ms)
  return `${amount} ${units[unit as keyof typeof units]}${amount === '1' ? '' : 's'}`
}

const style = browserFile('sign-up.css')
