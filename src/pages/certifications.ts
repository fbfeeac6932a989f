import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { Env } from '../http/exchange.ts'
import { mountOf, originOf } from '../http/caller.ts'
import type { Wall } from '../lib/clock/clock.ts'
import { notFound } from '../service/domain/errors.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { Register, RegisterEntry } from '../worlds/certification-register.ts'
import { page, sheetStyle, wantsPage } from './page.ts'

const standings = { ready: 'ready', ready_with_waivers: 'ready with waivers' } as const
const dayOf = (ms: number) => exactTime(ms).slice(0, 10)

/** Serves the public register of certifications: a page, JSON, and a badge for each entry. */
export function certificationPages(app: Hono<Env>, register: Register, wall: Wall): void {
  app.get('/certifications', async (c) => {
    c.header('Vary', 'Accept', { append: true })
    const entries = await register.list()
    return wantsPage(c) ? listPage(c, entries, wall()) : listJson(c, entries, wall())
  })
  app.get('/certifications/:badge{[\\w-]{1,40}\\.svg}', async (c) => {
    const id = c.req.param('badge').slice(0, -4)
    const entry = (await register.list()).find((each) => each.id === id)
    if (!entry) throw notFound('certification', id)
    const isOver = entry.expires_at <= wall()
    const state = isOver
      ? `expired on ${dayOf(entry.expires_at)}`
      : `${standings[entry.standing]} until ${dayOf(entry.expires_at)}`
    const tone = isOver ? 'soft' : entry.standing === 'ready' ? 'good' : 'wait'
    const { badgeSvg } = await import('../certify/reports/formats.ts')
    return c.body(badgeSvg(entry.plan, state, tone), 200, {
      'Content-Type': 'image/svg+xml; charset=utf-8',
      'Cache-Control': 'public, max-age=300',
      'Content-Security-Policy': "default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
    })
  })
}

const listJson = (c: Context, entries: readonly RegisterEntry[], now: number) =>
  c.json(
    {
      certifications: entries.map(({ issued_at, expires_at, ...each }) => ({
        ...each,
        world: undefined,
        issued_at: exactTime(issued_at),
        expires_at: exactTime(expires_at),
        expired: expires_at <= now,
        badge: `${originOf(c)}/certifications/${each.id}.svg`,
      })),
    },
    200,
    { 'Cache-Control': 'no-store' },
  )

function listPage(c: Context, entries: readonly RegisterEntry[], now: number) {
  const rows = entries.map(
    ({ id, subject, shop_version, plan, standing, issued_at, expires_at }) =>
      html`<tr>
        <td><bdi>${subject}</bdi>${shop_version === null ? '' : html` <bdi>${shop_version}</bdi>`}</td>
        <td><code>${plan}</code></td>
        <td>${expires_at <= now ? 'expired' : standings[standing]}</td>
        <td>${dayOf(issued_at)}</td>
        <td>${dayOf(expires_at)}</td>
        <td><a href="${mountOf(c)}/certifications/${id}.svg">${id}</a></td>
      </tr>`,
  )
  const table = html`<table>
    <thead>
      <tr>
        <th>Integration</th>
        <th>Plan</th>
        <th>Standing</th>
        <th>Issued</th>
        <th>Expires</th>
        <th>Badge</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`
  return page(c, {
    title: 'Certifications',
    style: sheetStyle,
    body: html`<h1>Certifications</h1>
      <p>
        Integrations that passed a plan in runs which this sandbox executed and signed. Owners choose their
        names, which nobody verifies: ask for the signed report and check it with
        <code>payments-sandbox certify verify</code>.
      </p>
      ${entries.length === 0 ? html`<p>The register is empty.</p>` : table}`,
  })
}
