import type { MailRow } from '../storage/store/rows.ts'
import { isUrl } from '../lib/text/is-url.ts'

export interface MailRules {
  /** Domains and whole addresses that mail may be sent to; `*` is all. */
  readonly to: readonly string[] | '*'
  /** Origins that the links of mails may have; `*` is all. */
  readonly links: readonly string[] | '*'
}

/** Why a mail stays in the outbox, in words that say what to change; undefined when it may leave. */
export function whyKept({ to, link }: Pick<MailRow, 'to' | 'link'>, rules: MailRules): string | undefined {
  const address = to.toLowerCase()
  const domain = address.slice(address.lastIndexOf('@') + 1)
  if (rules.to !== '*' && !rules.to.includes(address) && !rules.to.includes(domain))
    return `SANDBOX_MAIL_DOMAINS does not have ${domain}`
  if (link === '' || rules.links === '*') return undefined
  const origin = isUrl(link) ? new URL(link).origin : 'no URL'
  return rules.links.includes(origin) ? undefined : `SANDBOX_MAIL_LINKS does not have ${origin}`
}
