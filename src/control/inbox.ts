import type { Hono } from 'hono'
import { type Inboxes, MESSAGES_KEPT, scriptedInboxes, scriptOf, writeScript } from '../callbacks/inbox.ts'
import { handlers, cut, ok, matching, viewsOf } from './page.ts'
import { refuseForeignOrigin } from '../http/admin-guard.ts'
import { authenticate } from '../http/authorize.ts'
import type { Dependencies } from '../http/dependencies.ts'
import type { Env } from '../http/exchange.ts'
import type { Call } from '../http/handler.ts'
import { readText } from '../http/read-request.ts'
import { later, timeSlice } from '../lib/clock/clock.ts'
import type { Look } from '../service/domain/context.ts'
import { noneLeft, notFound } from '../service/domain/errors.ts'
import { exactTime, exactOrNull, wireTime } from '../service/domain/wire-time.ts'
import type { InboxRow, FailedMail, MailRow } from '../storage/store/rows.ts'
import type { Mail } from '../generated/control/types.ts'
import { mailHtml } from '../worlds/mails.ts'

/** How long a request without a response is held open, in milliseconds. */
const HELD = 30_000
/** Messages per page, and maximum number of characters in their bodies. */
const A_PAGE = 100
const LONGEST_PAGE = 1_048_576

export const inbox = handlers(({ inboxes }) => {
  const view = (look: Look, call: Call<unknown>, name: string, before = Infinity, limit = A_PAGE) => {
    const { responses, responses_sent } = scriptOf(look, name)
    const all = look.rows.find('inbox', 'inbox', name)
    const messages = all.toReversed().filter(({ id }) => id < before)
    const page = cut(messages, fitting(messages, limit))
    return {
      name,
      address: inboxes.address(call.origin, call.world.name, name),
      responses: [...responses],
      responses_sent,
      messages: page.rows.map(messageView),
      next_before: page.next_before,
    }
  }
  return {
    getInbox: {
      read(look, call) {
        const { before, limit } = call.request.query
        return ok(view(look, call, call.request.path.name, before, limit))
      },
    },

    scriptInbox: {
      change(tx, call) {
        const { name } = call.request.path
        const { responses, ...rest } = call.request.body
        noneLeft(rest)
        writeScript(tx, name, responses)
        return ok(view(tx, call, name))
      },
    },

    clearInbox: {
      change(tx, call) {
        const { name } = call.request.path
        writeScript(tx, name, null)
        for (const { id } of tx.rows.find('inbox', 'inbox', name)) tx.rows.delete('inbox', id)
        return ok(view(tx, call, name))
      },
    },

    listInboxes: {
      read(look, { world, origin, request }) {
        const { after = '', limit = 100 } = request.query
        const names = namesIn(look).filter((name) => name > after)
        const page = names.slice(0, limit)
        const addressOf = (name: string) => inboxes.address(origin, world.name, name)
        return ok({
          inboxes: page.map((name) => ({ name, address: addressOf(name), ...inShort(look, name) })),
          next_after: names.length > limit ? page.at(-1)! : null,
        })
      },
    },
  }
})

/**
 * Returns how many messages fit on a page: at least one, and as many as the size limit of their bodies
 * allows.
 */
function fitting(messages: readonly InboxRow[], limit: number): number {
  let length = 0
  const tooLong = messages.slice(0, limit).findIndex(({ body }) => (length += body.length) > LONGEST_PAGE)
  return tooLong < 0 ? limit : Math.max(1, tooLong)
}

const messageView = ({ id, at, real_at, url, headers, body, ...row }: InboxRow) => ({
  id,
  at: exactTime(at),
  received_at: exactTime(real_at),
  url,
  headers,
  body,
  response_status: row.response_status,
  signature_valid: row.signature_valid,
  signature: row.signature,
})

/** Receives messages of inboxes. Callers need the inbox's address or the world's credentials. */
export function inboxDoor(app: Hono<Env>, serving: Dependencies, inboxes: Inboxes): void {
  const { worlds, corsOrigins } = serving
  app.post('/sandbox/inbox/:name{[\\w.-]+}', async (c) => {
    const { url } = c.req
    const named = inboxes.worldIn(url)
    if (named !== undefined) await worlds.find(named)
    const found = inboxes.find(url)
    const known = found && worlds.get(found.world)
    // Requests of other sites need the address: credentials that a browser stores do not count.
    if (!known) refuseForeignOrigin(c, corsOrigins)
    const world = known ?? (await authenticate(c, serving)).world
    await world.budget.take('inbox_requests')
    worlds.memory.requireRoom()
    const delivered = { url, headers: c.req.header(), body: await readText(c) }
    const status = await inboxes.receive(world, c.req.param('name').slice(0, 64), delivered)
    if (status === null) {
      const end = world.budget.begin('waiters')
      await leftOrHeld(c.req.raw.signal).finally(end)
    }
    return new Response(null, { status: status ?? 504 })
  })
}

const leftOrHeld = (left: AbortSignal) =>
  new Promise<void>((resolve) => {
    const stop = later(HELD, resolve)
    left.addEventListener('abort', () => {
      stop()
      resolve()
    })
  })

/** The inbox that always exists. */
const DEFAULT = 'default'

function namesIn(look: Look): readonly string[] {
  const messages = look.rows.walk('inbox', 'age', 0, { offset: 0, limit: MESSAGES_KEPT })
  const names = new Set([DEFAULT, ...scriptedInboxes(look), ...messages.map(({ inbox }) => inbox)])
  return [...names].sort()
}

function inShort(look: Look, name: string) {
  const messages = look.rows.find('inbox', 'inbox', name)
  const last = messages.at(-1)
  const { responses, responses_sent } = scriptOf(look, name)
  return {
    messages: messages.length,
    last_at: last ? exactTime(last.at) : null,
    last_response_status: last?.response_status ?? null,
    responses: [...responses],
    responses_sent,
  }
}

const A_CHANGE = 1_000

export const outbox = handlers(() => ({
  async listMails({ world, request: { query } }) {
    const { to, search, ...page } = query
    const isMeant = matching({ to })
    const text = search?.toLowerCase()
    const fits = (mail: MailRow) =>
      isMeant(mail) &&
      (text === undefined || `${mail.to}\n${mail.subject}\n${mail.text}`.toLowerCase().includes(text))
    const { views: mails, next_before } = await viewsOf(world, 'mails', page, fits, mailView)
    return ok({ mails, next_before })
  },

  async clearOutbox({ world }) {
    const [last] = await world.read(({ rows }) => rows.below('mails', { before: Infinity, limit: 1 }))
    const slice = await timeSlice(world.name)
    let deleted = 0
    // Deleting from the end of a table leaves no gaps to close.
    for (let before = (last?.id ?? 0) + 1; ;) {
      if (slice.over) await slice.next()
      const mails = await world.change(({ rows }) => {
        const some = rows.below('mails', { before, limit: A_CHANGE })
        for (const { id } of some) rows.delete('mails', id)
        return some
      })
      deleted += mails.length
      if (mails.length < A_CHANGE) return ok({ deleted })
      before = mails.at(-1)!.id
    }
  },

  getMail: { read: (look, { request }) => ok(mailView(requireMail(look, request.path.id))) },

  deleteMail: {
    change(tx, { request }) {
      tx.rows.delete('mails', requireMail(tx, request.path.id).id)
      return ok({ deleted: 1 })
    },
  },
}))

function requireMail({ rows }: Look, id: number): MailRow {
  const mail = rows.get('mails', id)
  if (!mail) throw notFound('mail', id)
  return mail
}

const mailView = (mail: MailRow): Mail => ({
  id: mail.id,
  to: mail.to,
  subject: mail.subject,
  text: mail.text,
  html: mailHtml(mail),
  link: mail.link,
  sent_at: wireTime(mail.sent_at),
  ...(mail.failed && { failure: failureView(mail.failed) }),
})

const failureView = ({ times, at, error, next_at }: FailedMail) => ({
  failures: times,
  failed_at: exactTime(at),
  error,
  next_attempt_at: exactOrNull(next_at),
})
