import type { Request } from './load.ts'

/** A wallet collection, small enough to never reach the daily limit. */
export const createCollection: Request = {
  method: 'POST',
  path: '/api/v2/payments',
  body: {
    amount: 2,
    phone_number: '254712345678',
    provider: 'm-pesa',
    network_code: '63902',
    account_id: 63,
  },
}

export const getAccount: Request = { method: 'GET', path: '/api/v2/account/63' }

export const listPaymentChannels: Request = { method: 'GET', path: '/api/v2/payment_channels?account_id=63' }
