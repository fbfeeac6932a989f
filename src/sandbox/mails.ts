import type { Config } from '../config.ts'
import type { MailRules } from '../worlds/mail-rules.ts'

/** Which mails leave a sandbox: of one on the internet, none that its operator has not allowed. */
export const mailRules = ({
  mode,
  mailDomains,
  mailLinks,
}: Pick<Config, 'mode' | 'mailDomains' | 'mailLinks'>): MailRules => ({
  to: mailDomains ?? (mode === 'hosted' ? [] : '*'),
  links: mailLinks ?? (mode === 'hosted' ? [] : '*'),
})
