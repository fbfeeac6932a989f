/** The form of a collection and the equivalent curl command. */
import { quoted } from './durations.ts'

export interface PaymentFields {
  readonly account_id: string
  readonly amount: string
  readonly phone_number: string
  readonly external_reference: string
  readonly callback_url: string
}

export const PATH = '/api/v2/payments'

/** The request body; empty fields are omitted. */
export const bodyOf = ({ account_id, amount, ...texts }: PaymentFields): object => ({
  account_id: asNumber(account_id),
  amount: asNumber(amount),
  phone_number: texts.phone_number,
  provider: 'm-pesa',
  network_code: '63902',
  external_reference: texts.external_reference,
  ...(texts.callback_url && { callback_url: texts.callback_url }),
})

/** Invalid numbers are sent as typed, so that the sandbox reports the error. */
const asNumber = (text: string) => (text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text))

/** Contains the password only if it is public; otherwise curl prompts for it. */
export function curlOf(origin: string, user: string, path: string, body: object): string {
  return [
    `curl -u ${/^[\w+:.-]+$/.test(user) ? user : quoted(user)} ${origin}${path} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(JSON.stringify(body, null, 2))}`,
  ].join('\n')
}
