import type { Subject } from './checks.ts'

/** The pages that show what happens, and those that steer it. */
export const first: Subject = {
  async fill({ world }) {
    await world.fetch('/api/v2/account_invites', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ organization_id: 1, account_id: 63, email: 'a@example.com', role_id: 4 }),
    })
  },
  looks: [
    { path: 'home', heading: 'Home' },
    { path: 'tx', heading: 'Payments' },
    { path: 'tx/order-1', heading: 'order-1' },
    { path: 'tx/order-3', heading: 'order-3' },
    { path: 'callbacks', heading: 'Callbacks' },
    { path: 'callbacks/3', heading: 'Callback' },
    { path: 'requests', heading: 'Requests' },
    { path: 'requests/req_4', heading: 'payments' },
    { path: 'clock', heading: 'Clock' },
    { path: 'mail', heading: 'Mailbox' },
    { path: 'mail/1', heading: 'Mailbox' },
    { path: 'ledger', heading: 'Ledger' },
    { path: 'scenarios', heading: 'Scenarios' },
    { path: 'scenarios/payer-cancels', heading: 'The payer cancels' },
    { path: 'worlds', heading: 'Worlds' },
  ],
}
