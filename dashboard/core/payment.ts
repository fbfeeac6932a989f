/** A collection as the form has it, and the curl that sends the same. */
import { quoted } from './durations.ts'

export interface PaymentFields {
  readonly account_id: string
  readonly amount: string
  readonly phone_number: string
  readonly external_reference: string
  readonly callback_url: string
}

export const PATH = '/api/v2/payments'

/** What is sent; a field that is empty is left out. */
export const bodyOf = ({ account_id, amount, ...texts }: PaymentFields): object => ({
  account_id: asNumber(account_id),
  amount: asNumber(amount),
  phone_number: texts.phone_number,
  provider: 'm-pesa',
  network_code: '63902',
  external_reference: texts.external_reference,
  ...(texts.callback_url && { callback_url: texts.callback_url }),
})

/** What is no number is sent as it was typed, for the sandbox to say what is wrong with it. */
const asNumber = (text: string) => (text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text))

/** Runs as it stands where the password may be shown; where not, curl asks for it. */
export function curlOf(origin: string, user: string, path: string, body: object): string {
  return [
    `curl -u ${/^[\w+:.-]+$/.test(user) ? user : quoted(user)} ${origin}${path} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(JSON.stringify(body, null, 2))}`,
  ].join('\n')
}
