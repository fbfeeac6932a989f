import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { notFound } from '../domain/errors.ts'
import { acceptInvite, declineInvite } from '../domain/invites.ts'
import { roleName } from '../domain/roles.ts'
import type { Env } from '../http/env.ts'
import { makeName } from '../random/people.ts'
import type { InviteRow } from '../store/rows.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { page } from './page.ts'

interface Found {
  readonly world: World
  readonly invite: InviteRow
  readonly team: string
}

/**
 * Where the link of an invitation leads: the invitee accepts or declines. The address, which cannot be guessed, is the
 * permission.
 */
export function invitePage(app: Hono<Env>, worlds: Worlds): void {
  app.get('/invites/:token', async (c) => show(c, await find(worlds, c.req.param('token'))))

  app.post('/invites/:token', async (c) => {
    const token = c.req.param('token')
    const { world } = await find(worlds, token)
    const { action } = await c.req.parseBody()
    if (action === 'accept') {
      const name = await makeName(world.random.fraction(`name ${token}`, 0))
      await world.change((tx) => acceptInvite(tx, token, name))
    } else await world.change((tx) => declineInvite(tx, token))
    return c.redirect(c.req.path, 303)
  })
}

/** A link does not say of which world it is, so each is asked; a look-up by key each. */
async function find(worlds: Worlds, token: string): Promise<Found> {
  for (const world of worlds.all()) {
    const found = await world.read(async ({ rows }) => {
      const invite = await rows.get('invites', token)
      return invite && { invite, team: (await rows.get('teams', invite.account_id))?.name ?? 'a Team' }
    })
    if (found) return { world, ...found }
  }
  throw notFound('invite', token)
}

function show(c: Context<Env>, { invite, team }: Found) {
  const choice = html`<p>As ${roleName(invite.role_id)}, with the address ${invite.email}.</p>
    <form method="post">
      <button name="action" value="accept">Accept</button>
      <button name="action" value="decline" class="quiet">Decline</button>
    </form>`
  const outcome = html`<p>The invitation of ${invite.email} was ${invite.status}.</p>`
  return page(c, {
    title: `Join ${team}`,
    body: html`<h1>Join ${team}</h1>
      ${invite.status === 'sent' ? choice : outcome}
      <p class="quiet">This is a sandbox; nobody real was invited.</p>`,
  })
}
