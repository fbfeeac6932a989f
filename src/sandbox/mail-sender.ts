import { exactTime } from '../service/domain/wire-time.ts'
import type { Log } from '../lib/log/log.ts'
import type { MailSender } from '../scheduler/mail-jobs.ts'
import { type MailRules, whyKept } from '../worlds/mail-rules.ts'
import { mailHtml } from '../worlds/mail-html.ts'

const FROM = 'Payments Sandbox <no-reply@sandbox.example>'

/**
 * Sends by SMTP, as far as the rules let mails leave. The library, which costs start-up time, is loaded only for who sets
 * an address.
 */
export async function createMailSender(url: string, rules: MailRules, log: Log): Promise<MailSender> {
  const { createTransport } = await import('nodemailer')
  const limits = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000, pool: true }
  const transport = createTransport({ url, ...limits })
  return {
    async send(mail) {
      const { to, subject, text } = mail
      const why = whyKept(mail, rules)
      if (why !== undefined) {
        log.info('mail kept in the outbox', { to, why })
        return why
      }
      await transport.sendMail({ from: FROM, to, subject, text, html: mailHtml(mail) })
      log.debug('mail sent', { to })
      return undefined
    },
    onFailed({ to }, error, next_at) {
      const next_attempt_at = next_at === null ? null : exactTime(next_at)
      log.warn('mail not sent', { to, message: String(error), next_attempt_at })
    },
    async close() {
      transport.close()
    },
  }
}
