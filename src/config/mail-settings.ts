/** Where mails are sent beside the outbox. */
import * as schemas from './schemas.ts'
import type { Setting } from './setting.ts'

export const mailSettings = {
  smtpUrl: {
    variable: 'SANDBOX_SMTP_URL',
    about: 'Where the mails of the outbox are sent too, such as smtp://127.0.0.1:1025.',
    schema: schemas.smtpUrl,
    fallback: null,
    secret: true,
  },
  mailDomains: {
    variable: 'SANDBOX_MAIL_DOMAINS',
    about:
      'The domains and addresses that mails are sent to by SMTP, or `*`; all in local mode, none in hosted mode.',
    schema: schemas.recipients,
    fallback: null,
  },
  mailLinks: {
    variable: 'SANDBOX_MAIL_LINKS',
    about:
      'The origins that links in mails sent by SMTP may have, or `*`; all in local mode, that of `SANDBOX_PUBLIC_URL` alone in hosted mode.',
    schema: schemas.origins,
    fallback: null,
  },
} as const satisfies Record<string, Setting>
