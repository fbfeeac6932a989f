import type { Log } from './log.ts'
import type { MailRow } from './store/rows.ts'
import type { Written } from './store/store.ts'
import { type MailRules, whyKept } from './worlds/mail-rules.ts'
import { mailHtml } from './worlds/mail-html.ts'

export interface OutgoingMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface MailSender {
  /** Hands a mail to the server; a refusal is logged, never thrown. */
  send(mail: OutgoingMail): void
  /** Lets mails that are on their way arrive for a moment. */
  close(): Promise<void>
}

/** Hands over the mails that a change put on record, as far as the rules let them leave. */
export function sendMails(sender: MailSender, rules: MailRules, written: readonly Written[], log: Log): void {
  for (const { table, row } of written) {
    if (table !== 'mails' || !row) continue
    const mail = row as MailRow
    const why = whyKept(mail, rules)
    if (why !== undefined) {
      log.info('mail kept in the outbox', { to: mail.to, why })
      continue
    }
    sender.send({ to: mail.to, subject: mail.subject, text: mail.text, html: mailHtml(mail) })
  }
}

const FROM = 'Payments Sandbox <no-reply@sandbox.example>'

/** Sends by SMTP. The library, which costs start-up time, is loaded only for who sets an address. */
export async function createMailSender(url: string, log: Log): Promise<MailSender> {
  const { createTransport } = await import('nodemailer')
  const limits = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000, pool: true }
  const transport = createTransport({ url, ...limits })
  const sending = new Set<Promise<void>>()
  return {
    send(mail) {
      const sent = transport
        .sendMail({ from: FROM, ...mail })
        .then(() => log.debug('mail sent', { to: mail.to }))
        .catch((error: unknown) => log.warn('mail not sent', { to: mail.to, message: String(error) }))
        .finally(() => sending.delete(sent))
      sending.add(sent)
    },
    async close() {
      transport.close()
      await Promise.all(sending)
    },
  }
}
