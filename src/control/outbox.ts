import { timeSlice } from '../lib/clock/time-slice.ts'
import type { Look } from '../service/domain/context.ts'
import { notFound } from '../service/domain/errors.ts'
import { exactOrNull, exactTime, wireTime } from '../service/domain/wire-time.ts'
import type { Mail } from '../generated/control/schemas.ts'
import type { FailedMail, MailRow } from '../storage/store/rows.ts'
import { mailHtml } from '../worlds/mails.ts'
import { handlers, matching, ok, viewsOf } from './page.ts'

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
