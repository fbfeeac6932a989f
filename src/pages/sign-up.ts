import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { browserFile } from '../lib/files.ts'
import type { ControlDependencies } from '../control/dependencies.ts'
import { createdWorld } from '../control/worlds.ts'
import { invalid } from '../service/domain/errors.ts'
import { formatBytes } from '../lib/text/bytes.ts'
import { formatDuration } from '../lib/text/duration.ts'
import type { BudgetItem, Plan } from '../worlds/budget.ts'
import { budgetItems } from '../worlds/budget-items.ts'
import type { GuestWorlds } from '../worlds/guest-worlds.ts'
import type { CreatedWorld } from '../generated/control/schemas.ts'
import { refuseForeignOrigin } from '../http/admin-guard.ts'
import { counted } from '../http/authorize.ts'
import type { Dependencies } from '../http/dependencies.ts'
import type { Env } from '../http/exchange.ts'
import { mountOf, originOf } from '../http/caller.ts'
import { readForm, refusedForm, page, sheetStyle } from './page.ts'

type Steering = Pick<ControlDependencies, 'worlds' | 'inboxes' | 'firstSecret'>

/** Maximum length of a world's name. */
const LONGEST_NAME = 64

/** `/sign-up`: creates a world for people without a key. The form needs no script. */
export function signUpPages(app: Hono<Env>, serving: Dependencies, steering: Steering): void {
  const { guests, callers, countedAs } = serving
  const { signUp, ttl } = guests.rules
  if (signUp === 'off') return

  app.get('/sign-up', (c) => asked(c, signUp === 'token', ttl('sign-up')))

  app.post('/sign-up', async (c) => {
    refuseForeignOrigin(c)
    try {
      const { fields } = await readForm(c, ['sign-up'])
      const name = fields.get('name')?.trim() ?? ''
      if (name.length > LONGEST_NAME)
        throw invalid(`name must have at most ${LONGEST_NAME} characters, got ${name.length}`)
      const token = await tokenOf(c, fields.get('token') ?? undefined)
      const made = await guests.make('sign-up', { address: countedAs(c), name, token })
      return shown(c, await createdWorld(steering, made, originOf(c)), guests)
    } catch (error) {
      return refusedForm(c, error)
    }
  })

  /** @throws {ServiceError} 401, or 429 after too many wrong tokens */
  const tokenOf = (c: Context, given: string | undefined) =>
    counted(c, callers, () => guests.requireSignUp(given?.trim()), true)
}

function asked(c: Context, needsToken: boolean, ttl: number) {
  return page(c, {
    title: 'Create your own world',
    // Browsers omit `Sec-Fetch-Site` over plain HTTP. The Origin then proves that the form is ours.
    referrers: 'same-origin',
    style: sheetStyle,
    moreStyle: style,
    body: html`<h1>Create your own world</h1>
      <p>
        A private copy of the service: Teams with money in their wallets, your own API keys, and a clock that
        you control. No money moves. The world is deleted after ${inWords(ttl)} without calls.
      </p>
      <form method="post">
        <label
          >Name <span>optional</span>
          <input name="name" maxlength="${LONGEST_NAME}" autocomplete="off" />
        </label>
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
      <p class="quiet"><a href="${mountOf(c)}/">What is this?</a></p>`,
  })
}

function shown(c: Context, made: CreatedWorld, { rules }: GuestWorlds) {
  const plan = rules.plans.get(made.world.plan ?? '')
  const ttl = rules.ttl(`sign-up ${plan?.name ?? ''}`)
  const { username, password, default_account_id } = made.credentials
  const { base_url, inbox_url, signing_secret } = made
  const [, viewer] = made.api_keys
  const environment = `SANDBOX_URL=${base_url}
API_USERNAME=${username}
API_PASSWORD=${password}
ACCOUNT_ID=${default_account_id}
SIGNING_SECRET=${signing_secret}
CALLBACK_URL=${inbox_url}`
  const curl = `curl -u '${username}:${password}' ${base_url}/api/v2/payment_channels`
  return page(c, {
    title: 'Your world',
    style: sheetStyle,
    moreStyle: style,
    body: html`<h1>Your world</h1>
      <p class="outcome" role="status">Your world is ready. Save its password now: it is not shown again.</p>
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
      <p class="quiet">The world is deleted after ${inWords(ttl)} without calls.</p>`,
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
