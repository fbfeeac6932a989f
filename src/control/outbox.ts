import { notFound } from '../domain/errors.ts'
import { wireTime } from '../domain/wire-time.ts'
import type { Mail } from '../generated/control/schemas.ts'
import type { MailRow } from '../store/rows.ts'
import { mailHtml } from '../worlds/mail-html.ts'
import type { ControlHandlers } from './handlers.ts'

export const outbox: Pick<ControlHandlers, 'listMails' | 'clearOutbox' | 'getMail'> = {
  async listMails(c) {
    const { to } = c.req.valid('query')
    const all = await c.var.world.read(({ rows }) => rows.all('mails'))
    const mails = all.filter((mail) => to === undefined || mail.to === to).reverse()
    return c.json({ mails: mails.map(mailView) }, 200)
  },

  async clearOutbox(c) {
    const { world } = c.var
    const deleted = await world.change(async ({ rows }) => {
      const mails = await rows.all('mails')
      for (const { id } of mails) await rows.delete('mails', id)
      return mails.length
    })
    return c.json({ deleted }, 200)
  },

  async getMail(c) {
    const { id } = c.req.valid('param')
    const mail = await c.var.world.read(({ rows }) => rows.get('mails', id))
    if (!mail) throw notFound('mail', id)
    return c.json(mailView(mail), 200)
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
})
