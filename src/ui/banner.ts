import type { Config } from '../config.ts'

/** The first screen: where it listens, who may call, and what to try. */
export function banner({ host, apiUsername, apiPassword, db }: Config, port: number): string {
  const shownHost =
    host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  const base = `http://${shownHost}:${port}`
  const user = `${apiUsername}:${apiPassword === 'demo' ? 'demo' : '<SANDBOX_API_PASSWORD>'}`
  return `
payments-sandbox listens at ${base}

  API credentials   ${user}   (viewer:viewer may only read; ${apiUsername}+anything is a world of its own)
  Description       ${base}/openapi.json
  Rows are kept     ${db ?? 'in memory'}

  Look around       curl -u ${user} ${base}/api/v2/user_profile/1
  Collect 100 KES   curl -u ${user} ${base}/api/v2/payments -H 'content-type: application/json' \\
                      -d '{"amount":100,"phone_number":"0712345678","provider":"m-pesa","network_code":"63902","account_id":63,"callback_url":"http://127.0.0.1:9000/"}'
  See the ledger    curl -u ${user} ${base}/sandbox/ledger

`
}
