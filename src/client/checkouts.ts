/** The pages of pay-ins. */
import { requireKnown } from './filters.ts'
import { listOf } from './pages.ts'
import type { Transport } from './transport.ts'
import type { AnswerCheckoutRequest, CheckoutClient, WorldClient } from './types.ts'

export const checkoutOf =
  ({ call }: Transport): WorldClient['checkout'] =>
  (checkout_request_id): CheckoutClient => {
    const path = { checkout_request_id }
    const answer = (body: AnswerCheckoutRequest) => call('answerCheckout', { path, body })
    return {
      show: () => call('getCheckout', { path }),
      open: () => answer({ open: true }),
      pay: (how) => answer(how ? { card: how.card } : { pay: true }),
      challenge: (three_d_secure) => answer({ three_d_secure }),
      cancel: () => answer({ cancel: true }),
    }
  }

export const checkoutsOf = (transport: Transport): WorldClient['checkouts'] => ({
  async list(filter = {}) {
    requireKnown('checkouts.list', filter, ['state'])
    return listOf(transport, 'listCheckouts', 'checkouts', { query: filter })
  },
  testCards: async () => (await transport.call('listTestCards')).test_cards,
})
