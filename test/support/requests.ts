/** Requests that the service accepts, to be changed where a test wants something else. */
/** Where the callbacks of a test arrive. */
interface Receiver {
  readonly callback_url: string
}

export const collection = (world: Receiver, changes: object = {}) => ({
  amount: 1000,
  phone_number: '0712345678',
  provider: 'm-pesa',
  network_code: '63902',
  account_id: 63,
  external_reference: 'order-1',
  callback_url: world.callback_url,
  ...changes,
})

export const withdrawal = (world: Receiver, changes: object = {}) => ({
  external_reference: 'payout-1',
  account_id: 63,
  amount: 500,
  phone_number: '254712345678',
  channel: 'phone',
  recipient_type: 'MSISDN',
  account_number: '254712345678',
  callback_url: world.callback_url,
  ...changes,
})

const kenyanMomo = {
  network_id: 'm-pesa',
  provider_id: 'ke-m-pesa',
  network_name: 'M-Pesa',
  network_code: 'MPESA',
  account_type: 'momo',
}

export const globalPayment = (world: Receiver, changes: object = {}) => ({
  request_type: 'payment',
  transaction_channel: 'momo',
  provider: 'm-pesa',
  amount: 1000,
  currency: 'KES',
  country: 'KE',
  reason: 'Order 1',
  source: 'api',
  customer: { first_name: 'Jane', last_name: 'Doe', phone: '254712345678', country: 'KE' },
  vendor_config: { vendor_id: 63 },
  provider_config: kenyanMomo,
  payment_config: {
    reference: 'order-1',
    account_number: '254712345678',
    remark: 'Order 1',
    payment_category: 'goods',
    callback_url: world.callback_url,
    redirect_url: 'https://shop.example/thanks?order=1',
  },
  ...changes,
})
