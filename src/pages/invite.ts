import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { notFound } from '../service/domain/errors.ts'
import { acceptInvite, declineInvite } from '../service/domain/members.ts'
import { roleName } from '../service/domain/access.ts'
import type { Env } from '../http/exchange.ts'
import { mountOf } from '../http/caller.ts'
import { makeName } from '../lib/random/people.ts'
import type { InviteRow } from '../storage/store/rows.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/registry.ts'
import { readForm, refusedForm, missing, page } from './page.ts'
import { isolated } from '../service/domain/mails.ts'

interface Found {
  readonly world: World
  readonly invite: InviteRow
  readonly team: string | undefined
}

/** The page where an invitee accepts or declines. Its unguessable address is the permission. */
export function invitePage(app: Hono<Env>, worlds: Worlds): void {
  app.get('/invites/:token', async (c) => {
    const token = c.req.param('token')
    const found = await look(worlds, token)
    return found ? show(c, found) : missing(c, notFound('invite', token))
  })

  app.post('/invites/:token', async (c) => {
    const token = c.req.param('token')
    const found = await look(worlds, token)
    if (!found) return missing(c, notFound('invite', token))
    const { world } = found
    try {
      if ((await readForm(c, ['accept', 'decline'])).action === 'accept') {
        const name = await makeName(world.random.fraction(`name ${token}`, 0))
        await world.change((tx) => acceptInvite(tx, token, name))
      } else await world.change((tx) => declineInvite(tx, token))
    } catch (error) {
      return refusedForm(c, error)
    }
    return c.redirect(mountOf(c) + c.req.path, 303)
  })
}

/** The address does not contain the world. */
async function look(worlds: Worlds, token: string): Promise<Found | undefined> {
  const name = await worlds.directory.invited(token)
  const world = name === undefined ? undefined : await worlds.find(name)
  const found = await world?.read(({ rows }) => {
    const invite = rows.get('invites', token)
    return invite && { invite, team: rows.get('teams', invite.account_id)?.name }
  })
  return world && found && { world, ...found }
}

function show(c: Context<Env>, { invite, team }: Found) {
  const choice = html`<form method="post">
    <button name="action" value="decline" class="plain">Decline</button>
    <button name="action" value="accept">Accept</button>
  </form>`
  const isOpen = invite.status === 'sent'
  const told = isOpen ? 'The Team of this invitation was deleted.' : `This invitation was ${invite.status}.`
  const name = team ?? 'a Team'
  return page(c, {
    title: `Join ${isolated(name)}`,
    body: html`<h1>Invitation to join</h1>
      <p class="amount"><bdi>${name}</bdi></p>
      <dl>
        <dt>As</dt>
        <dd>${roleName(invite.role_id)}</dd>
        <dt>For</dt>
        <dd><bdi>${invite.email}</bdi></dd>
      </dl>
      ${isOpen && team !== undefined ? choice : html`<p class="outcome" role="status">${told}</p>`}
      <footer>This is a sandbox: no real person was invited.</footer>`,
  })
}
