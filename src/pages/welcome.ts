import type { Context } from 'hono'
import { html } from 'hono/html'
import { browserFile } from '../lib/files.ts'
import { mountOf, originOf } from '../http/caller.ts'
import type { GuestWorlds } from '../worlds/guest-worlds.ts'
import { type Guide, money } from '../worlds/guide.ts'
import { page, wantsPage, sheetStyle } from './page.ts'

/** The start page: HTML for browsers, text for terminals. */
export function welcome(c: Context, guide: Guide, signUp: SignUp) {
  const origin = originOf(c)
  const curl = `curl -u ${userOf(guide)} ${origin}`
  const { collector } = guide
  const steps = collector
    ? [
        {
          title: 'Collect 100 KES',
          command: `${curl}/api/v2/payments \\
  -H 'Content-Type: application/json' \\
  -d '{
    "account_id": ${collector.id},
    "amount": 100,
    "phone_number": "0712345678",
    "provider": "m-pesa",
    "network_code": "63902",
    "external_reference": "order-1"
  }'`,
        },
        {
          title: 'Query its status',
          command: `${curl}/api/global/transaction-status \\
  -H 'Content-Type: application/json' \\
  -d '{"request_id": "order-1"}'`,
        },
      ]
    : [{ title: 'List the payment channels', command: `${curl}/api/v2/payment_channels` }]
  c.header('Vary', 'Accept')
  return wantsPage(c) ? asPage(c, guide, steps, signUp) : c.text(asText(origin, guide, steps, signUp))
}

type SignUp = GuestWorlds['rules']['signUp']

interface Step {
  readonly title: string
  readonly command: string
}

/** The user option of curl, which prompts for a missing password. */
function userOf({ username, password, passwordFrom }: Guide): string {
  if (password !== undefined) return `${username}:${password}`
  return passwordFrom === 'the seed file' ? username : `'${username}:<${passwordFrom}>'`
}

const asText = (origin: string, guide: Guide, steps: readonly Step[], signUp: SignUp) =>
  `payments-sandbox: a sandbox of the Unified Payments and Team Management Service. No money moves.

  Credentials    ${credentialsOf(guide)}
  Teams          ${guide.teams}${signUp === 'open' ? `\n  Your own world curl -X POST ${origin}/sandbox/sign-up` : ''}
  Dashboard      ${origin}/dashboard
  Docs           ${origin}/docs
  Guides         ${origin}/docs/guides
  OpenAPI        ${origin}/openapi.json and /openapi.yaml
  Control API    ${origin}/sandbox/openapi.json
  For agents     ${origin}/llms.txt
  Provenance     ${origin}/sandbox/provenance

${steps.map(({ title, command }) => `${title}:\n\n${command}\n`).join('\n')}`

const credentialsOf = ({ username, password, passwordFrom }: Guide) =>
  password === undefined
    ? `${username}, with the password of ${passwordFrom}   (HTTP Basic)`
    : `${username}:${password}   (HTTP Basic)`

function asPage(c: Context, guide: Guide, steps: readonly Step[], signUp: SignUp) {
  const at = mountOf(c)
  return page(c, {
    title: 'payments-sandbox',
    style: sheetStyle + style,
    body: html`<header>
        <p class="name"><span class="light" aria-hidden="true"></span> payments-sandbox</p>
        <h1>Payments, without the money.</h1>
        <p class="lead">
          A sandbox of the Unified Payments and Team Management Service. It implements every operation, keeps
          state, and sends the result of each payment to its <code>callback_url</code>. No money moves.
        </p>
        <p class="actions">
          ${signUp === 'off' ? '' : html`<a class="button" href="${at}/sign-up">Create your own world</a>`}
          <a class="${signUp === 'off' ? 'button' : 'button quiet'}" href="${at}/dashboard"
            >Open the dashboard</a
          >
          <a class="button quiet" href="${at}/docs">API reference</a>
          <a class="button quiet" href="${at}/docs/guides">Guides</a>
        </p>
      </header>
      <dl class="facts">
        <div>
          <dt>API username</dt>
          <dd>
            <code><bdi>${guide.username}</bdi></code>
          </dd>
        </div>
        <div>
          <dt>API password</dt>
          <dd>
            ${guide.password ? html`<code>${guide.password}</code>` : html`set by ${guide.passwordFrom}`}
          </dd>
        </div>
        <div>
          <dt>Team</dt>
          <dd>${teamOf(guide)}</dd>
        </div>
        <div>
          <dt>Your own world</dt>
          <dd>
            ${
              signUp === 'off'
                ? html`<code><bdi>${guide.username}</bdi>+anything</code>, same password`
                : html`<a href="${at}/sign-up">Sign up</a> for a private world`
            }
          </dd>
        </div>
      </dl>
      <h2>Get started</h2>
      ${steps.map(
        ({ title, command }) =>
          html`<p>${title}:</p>
            <pre tabindex="0" aria-label="${title}"><code>${command}</code></pre>`,
      )}
      <h2>More</h2>
      <ul class="links">
        ${links.map(
          ([path, title, about]) => html`<li><a href="${at}${path}">${title}</a><span>${about}</span></li>`,
        )}
      </ul>`,
  })
}

const links = [
  ['/dashboard', 'Dashboard', 'Watch and control everything in the world.'],
  ['/docs', 'API reference', 'Every operation, with a form to try it.'],
  ['/docs/guides', 'Guides', 'First payment, callbacks, outcomes, tests.'],
  ['/sandbox/provenance', 'Provenance', 'What is documented, observed or assumed.'],
  ['/openapi.json', 'openapi.json', 'The OpenAPI description.'],
  ['/openapi.yaml', 'openapi.yaml', 'The same as YAML.'],
  ['/sandbox/openapi.json', 'sandbox/openapi.json', 'The API that controls the sandbox.'],
  ['/llms.txt', 'llms.txt', 'All guides and operations as text, for programs.'],
] as const

function teamOf({ collector, teams }: Guide) {
  if (!collector) return teams
  const { id, currency, wallet } = collector
  return html`<code>${id}</code> ${currency}, ${money(wallet?.[currency] ?? 0)} in its wallet`
}

const style = browserFile('welcome.css')
