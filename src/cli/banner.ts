import type { Config } from '../config.ts'
import { localAddress } from './address.ts'
import type { Paint } from './paint.ts'

/** From source nothing of that name is installed. */
const command = import.meta.url.endsWith('.ts') ? 'npm start --' : 'payments-sandbox'

/** The first screen: where it listens, who may call, three things to try, and where to read on. */
export function banner(config: Config, port: number, paint: Paint): string {
  const { host, apiUsername, apiPassword, db, settleAfter } = config
  const base = localAddress(host, port)
  const user = `${apiUsername}:${apiPassword === 'demo' ? 'demo' : '$SANDBOX_API_PASSWORD'}`
  const curl = (rest: string) => paint('cyan', `curl -u ${user} ${rest}`)
  const label = (text: string) => paint('dim', text.padEnd(15))
  return `
${paint(['bold', 'green'], 'payments-sandbox')} listens at ${paint('bold', base)}

  ${label('Credentials')}${paint('bold', user)}   HTTP Basic; viewer:viewer may only read
  ${label('Teams')}63 KES 100,000.00, channels 1501 to 1505; 64 KES, new and empty; 65 TZS 5,000,000.00
  ${label('Tests')}${apiUsername}+anything is a world of its own, same password
  ${label('Rows')}${db === null ? 'in memory, gone when it stops; SANDBOX_DB=file keeps them' : `kept in ${db}`}
  ${label('Documentation')}${base}/docs, to read and to try

${paint('bold', 'Try')}

  1. Collect 100 shillings from a phone; ${settleAfter === 0 ? 'the payment settles at once' : `${settleAfter / 1000} s later the payment has settled`}

     ${curl(`${base}/api/v2/payments -H 'content-type: application/json' -d '${JSON.stringify(collection)}'`)}

  2. See its story: request, states, ledger, and how the callback fared

     ${curl(`${base}/sandbox/transactions/order-1/timeline`)}

  3. The same with "phone_number":"0700000002": the payer cancels. ${command} scenarios list has more numbers

Every setting: ${command} start --help. Ctrl-C stops it.

`
}

const collection = {
  account_id: 63,
  amount: 100,
  phone_number: '0712345678',
  provider: 'm-pesa',
  network_code: '63902',
  external_reference: 'order-1',
  callback_url: 'http://127.0.0.1:9000/callback',
}
