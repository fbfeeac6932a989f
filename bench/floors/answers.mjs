/** Response bodies of the baseline servers, equal to the sandbox's. */

export const collection = () => ({
  success: true,
  status: 'QUEUED',
  reference: 'UFU003217286.iI',
  CheckoutRequestID: '29119',
  external_reference: 'order-1042',
})

export const account = () => ({
  account: {
    id: 63,
    organization_id: 1,
    name: 'Demo Team',
    description: '',
    currency: 'KES',
    number: '254712345678',
    email: 'team@demo.example',
    status: 'active',
    account_type: 'prepaid',
    kyc_tier: 3,
    kyc_verified: true,
    service_wallet_balance: 10_000,
    logo: '',
    theme_color: '',
    notify_amount: 0,
    created_at: '2026-06-30T00:44:53.000Z',
    updated_at: '2026-06-30T00:44:53.000Z',
  },
})

export const channel = (id) => ({
  id,
  transaction_type: 'CustomerBuyGoodsOnline',
  channel_type: 'till',
  account_id: 63,
  short_code: '543210',
  account_number: '',
  description: 'Shop till',
  is_active: true,
  created_at: '2026-06-30T00:44:53.000Z',
  updated_at: '2026-06-30T00:44:53.000Z',
})

/** A page of at most 20 channels. */
export const channels = (count) => ({
  payment_channels: Array.from({ length: Math.min(count, 20) }, (_, i) => channel(i + 1)),
  pagination: {
    count,
    page: 1,
    per: 20,
    num_pages: Math.ceil(count / 20),
    next_page: count > 20 ? 2 : null,
    prev_page: null,
  },
})
