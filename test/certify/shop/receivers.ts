/** Three receivers as they are found: one that takes everything, one that checks the signature and no more, and the careful one. */
import type { Habits } from './habits.ts'
import { resultOf } from './results.ts'

export const receivers = {
  /** Answers 200 to all, and does what it is told. */
  sloppy: ({ applyResult }: Habits): Partial<Habits> => ({
    async receiveCallback(shop, request) {
      const told = resultOf(await request.json().catch(() => undefined))
      if (told)
        await shop.store.write((rows) => {
          const order = rows.orders.get(told.external_reference)
          if (order) applyResult(shop, order, told)
        })
      return new Response('ok')
    },
    nextStatus: (_, { status }) =>
      status === 'success' ? 'paid' : status === 'failed' ? 'failed' : undefined,
    isNews: () => true,
  }),
  /** As most are: the HMAC, and then the order is what it was told last. */
  typical: ({ isSignedWith }: Habits): Partial<Habits> => ({
    isFresh: () => true,
    isSignedWith: (secret, signed) =>
      isSignedWith(secret, { ...signed, signatures: signed.signatures.slice(0, 1) }),
    async take(shop, _, told) {
      const order = await shop.store.read(({ orders }) => orders.get(told.external_reference))
      if (order) await shop.store.write(() => shop.habits.applyResult(shop, order, told))
    },
    nextStatus: (_, { status }) =>
      status === 'success' ? 'paid' : status === 'failed' ? 'failed' : undefined,
    isNews: (order, next) => order.status !== next,
  }),
  careful: (): Partial<Habits> => ({}),
} as const
