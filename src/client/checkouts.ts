/** The pages of pay-ins. */
import { requireKnown } from './filters.ts'
import { pagesOf } from './pages.ts'
import type { Transport } from './transport.ts'
import type { AnswerCheckoutRequest, Checkout, CheckoutClient, TestCard, WorldClient } from './types.ts'

export const checkoutOf =
  ({ ask }: Transport): WorldClient['checkout'] =>
  (reference): CheckoutClient => {
    const path = `/sandbox/checkouts/${encodeURIComponent(reference)}`
    const answer = (body: AnswerCheckoutRequest) => ask<Checkout>('POST', `${path}/answer`, { body })
    return {
      show: () => ask('GET', path),
      open: () => answer({ open: true }),
      pay: (how) => answer(how ? { card: how.card } : { pay: true }),
      challenge: (three_d_secure) => answer({ three_d_secure }),
      cancel: () => answer({ cancel: true }),
    }
  }

export const checkoutsOf = (transport: Transport): WorldClient['checkouts'] => ({
  async list(filter = {}) {
    requireKnown('checkouts.list', filter, ['state'])
    return (await pagesOf<Checkout>(transport, '/sandbox/checkouts', 'checkouts', { ...filter })).flat()
  },
  testCards: async () =>
    (await transport.ask<{ test_cards: TestCard[] }>('GET', '/sandbox/test-cards')).test_cards,
})
