import type { Config } from '../config/config.ts'
import type { MailRules } from '../worlds/mail-rules.ts'

/** Which mails leave a sandbox: of one on the internet, none that its operator has not allowed. */
export const mailRules = ({
  mode,
  mailDomains,
  mailLinks,
  publicUrl,
}: Pick<Config, 'mode' | 'mailDomains' | 'mailLinks' | 'publicUrl'>): MailRules => ({
  to: mailDomains ?? (mode === 'hosted' ? [] : '*'),
  links: mailLinks ?? (mode === 'local' ? '*' : publicUrl === null ? [] : [new URL(publicUrl).origin]),
})
