/** A pay-in with a checkout page. */
export const GLOBAL_PATH = '/api/global/payments'

const networks = {
  card: {
    provider: 'hosted_card',
    network_id: 'ke-hosted-card-card-visa',
    provider_id: 'ke-hosted-card',
    network_name: 'Visa',
    network_code: 'visa',
  },
  momo: {
    provider: 'm-pesa',
    network_id: 'm-pesa',
    provider_id: 'ke-m-pesa',
    network_name: 'M-Pesa',
    network_code: 'MPESA',
  },
  bank: {
    provider: 'kcb',
    network_id: 'ke-kcb-bank-kcb-bank',
    provider_id: 'ke-kcb',
    network_name: 'KCB Bank',
    network_code: '01',
  },
} as const

export type Rail = keyof typeof networks

export interface CheckoutWhere {
  /** The recipient Team. */
  readonly vendor_id: number
  readonly callback_url: string
  /** Where the payer continues afterwards. */
  readonly redirect_url: string
}

export function checkoutBody(
  rail: Rail,
  reference: string,
  { vendor_id, callback_url, redirect_url }: CheckoutWhere,
): object {
  const { provider, ...network } = networks[rail]
  return {
    request_type: 'payment',
    transaction_channel: rail,
    provider,
    amount: 2500,
    currency: 'KES',
    country: 'KE',
    reason: 'An order',
    source: 'api',
    customer: {
      first_name: 'Achieng',
      last_name: 'Odhiambo',
      email: 'achieng@mail.example',
      phone: '254712345678',
      dob: '1991-04-17T00:00:00Z',
      country: 'KE',
    },
    vendor_config: { vendor_id },
    provider_config: { ...network, account_type: rail },
    payment_config: {
      reference,
      account_number: rail === 'bank' ? '1180012345' : '254712345678',
      remark: 'An order',
      payment_category: 'goods',
      callback_url,
      redirect_url,
    },
  }
}
