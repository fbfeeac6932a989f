import { timeSlice } from '../lib/clock/time-slice.ts'
import { notFound } from '../service/domain/errors.ts'
import { exactTime, wireTime } from '../service/domain/wire-time.ts'
import type { Mail } from '../generated/control/schemas.ts'
import type { FailedMail, MailRow } from '../storage/store/rows.ts'
import { mailHtml } from '../worlds/mails.ts'
import type { ControlHandlers } from '../http/handler.ts'
import { pageOf } from './page.ts'

/** How many mails are deleted in one change. */
const A_CHANGE = 1_000

export const outbox: Pick<ControlHandlers, 'listMails' | 'clearOutbox' | 'getMail' | 'deleteMail'> = {
  async listMails(call) {
    const { world } = call
    const { to, before, limit = 100 } = call.request.query
    const toThem = (mail: MailRow) => to === undefined || mail.to === to
    const page = await world.readInSlices((look) =>
      pageOf(look, world.name, 'mails', { before, limit }, toThem),
    )
    return { status: 200, body: { mails: page.rows.map(mailView), next_before: page.next_before } }
  },

  async clearOutbox(call) {
    const { world } = call
    const [last] = await world.read(({ rows }) => rows.below('mails', { before: Infinity, limit: 1 }))
    const slice = await timeSlice(world.name)
    let deleted = 0
    // The newest first: to take rows from the end of a table leaves no gaps to close.
    for (let before = (last?.id ?? 0) + 1; ;) {
      if (slice.over) await slice.next()
      const mails = await world.change(({ rows }) => {
        const some = rows.below('mails', { before, limit: A_CHANGE })
        for (const { id } of some) rows.delete('mails', id)
        return some
      })
      deleted += mails.length
      if (mails.length < A_CHANGE) return { status: 200, body: { deleted } }
      before = mails.at(-1)!.id
    }
  },

  async getMail(call) {
    const { id } = call.request.path
    const mail = await call.world.read(({ rows }) => rows.get('mails', id))
    if (!mail) throw notFound('mail', id)
    return { status: 200, body: mailView(mail) }
  },

  async deleteMail(call) {
    const { id } = call.request.path
    await call.world.change(({ rows }) => {
      if (!rows.get('mails', id)) throw notFound('mail', id)
      rows.delete('mails', id)
    })
    return { status: 200, body: { deleted: 1 } }
  },
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
  next_attempt_at: next_at === null ? null : exactTime(next_at),
})
