/**
 * Paths that are not served, and what to use instead: those that people are known to guess, those of the API's older generation
 * (open-points, "older-generation"), and those of other sandboxes. The first that fits counts.
 */
export const foreignPaths: readonly { readonly guess: RegExp; readonly use: string }[] = [
  {
    guess: /\/(initiate[-_])?stk[-_]?push$/,
    use: 'POST /api/v2/payments, which sends the prompt to phone_number',
  },
  { guess: /^\/api\/v2\/(payments|withdraw)\/./, use: 'POST /api/global/transaction-status with request_id' },
  { guess: /^\/api\/global\/payments\/./, use: 'POST /api/global/transaction-status with request_id' },
  {
    guess: /^\/api\/(v\d|global)\/transactions?(\/|-status|_status|$)/,
    use: 'POST /api/global/transaction-status with request_id',
  },
  {
    guess:
      /^\/api\/(v2\/wallets?|global\/accounts?\/[^/]+\/balances?|v2\/accounts?\/[^/]+\/(balances?|wallets?))$/,
    use: 'GET /api/v2/account/{account_id} for the service wallet, or GET /sandbox/ledger for every balance',
  },
  {
    guess: /^\/api\/(v2\/)?(top-?up|wallets?\/top-?up)$/,
    use: 'POST /api/v2/payments with network_code, which fills the wallet, or POST /sandbox/teams/{id}/fund, which puts money from outside into it',
  },
  {
    guess: /^\/api\/v2\/payment_channels?\/./,
    use: 'GET /api/v2/payment_channels, which lists the channels with their ids',
  },
  { guess: /^\/api\/v2\/(channels?|payment_channel)\b/, use: 'GET /api/v2/payment_channels' },
  {
    guess: /^\/api\/(v2\/)?(transaction_fees|fees|tariffs?)$/,
    use: 'GET /sandbox/worlds/current, whose settings have the costs',
  },
  {
    guess: /^\/api\/(v2\/|global\/)?(disbursements?|payouts?)(\/|$)/,
    use: 'POST /api/v2/withdraw in Kenya, or POST /api/global/payments with request_type withdrawal',
  },
  {
    guess: /^\/api\/(v2\/)?(bank_paybills|banks)$/,
    use: 'POST /api/global/transaction-providers with transaction_channel bank',
  },
  {
    guess: /^\/api\/(v2\/|global\/)?currency(\/convert)?$/,
    use: 'POST /api/global/payments, whose answer has convertedAmount and rate',
  },
  { guess: /^\/api\/v2\/account$/, use: 'POST /api/v2/accounts or GET /api/v2/account/{account_id}' },
  { guess: /^\/api\/v2\/withdrawals?$/, use: 'POST /api/v2/withdraw' },
  { guess: /^\/api\/v[12]\/(payments?|collections?)$/, use: 'POST /api/v2/payments' },
  { guess: /^\/api\/v1\/withdraw$/, use: 'POST /api/v2/withdraw' },
  { guess: /^\/api\/(v\d\/)?global\/(payments?|withdraw(al)?s?)$/, use: 'POST /api/global/payments' },
  { guess: /^\/api\/v2\/(team|teams)\b/, use: '/api/v2/accounts and /api/v2/account/{account_id}' },
  { guess: /^\/api\/v2\/(kyc|kycs|account_kyc)\b/, use: 'POST /api/v2/account_kycs' },
  { guess: /^\/api\/v2\/(invites?|account_invite)$/, use: 'POST /api/v2/account_invites' },
  {
    guess: /^\/api\/global\/discovery(\/|$)/,
    use: 'GET /api/global/discovery/payment-world/country?country=KE',
  },
  { guess: /^\/api\/v2\/user_profile$/, use: 'GET /api/v2/user_profile/{user_id}' },
]
