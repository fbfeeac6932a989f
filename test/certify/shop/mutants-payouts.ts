/** Shops that pay out without care, by the check that finds it. */
import type { Mutant } from './mutants.ts'
import type { Habits } from './habits.ts'

type PayoutCheck = `PAY-${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`

/** Sends a payout again if `isAgain` holds for its answer, or if there is none. */
const resends =
  (isAgain: (answer: Response | undefined) => boolean | Promise<boolean>) =>
  ({ begin }: Habits): Partial<Habits> => ({
    begin: (shop, order) =>
      begin({ ...shop, fetch: (request) => resent(shop.fetch, request, isAgain) }, order),
  })

async function resent(
  fetch: (request: Request) => Promise<Response>,
  request: Request,
  isAgain: (answer: Response | undefined) => boolean | Promise<boolean>,
): Promise<Response> {
  if (!request.url.endsWith('/withdraw')) return fetch(request)
  const again = request.clone()
  const answer = await fetch(request).catch(() => undefined)
  if (await isAgain(answer?.clone())) return fetch(again)
  if (answer) return answer
  throw new TypeError('the answer is lost')
}

const refusedFor = (words: RegExp) => async (answer: Response | undefined) =>
  answer?.status === 400 && words.test(await answer.text())

export const payoutMutants: Readonly<Record<PayoutCheck, Mutant>> = {
  'PAY-1': { fault: 'pays out again after a lost answer', habits: resends((answer) => !answer) },
  'PAY-2': { fault: 'pays out again after a 500', habits: resends((answer) => answer?.status === 500) },
  'PAY-3': { fault: 'pays out again what was refused', habits: resends(refusedFor(/account number/)) },
  'PAY-4': {
    fault: 'does not know that payouts come back',
    habits: ({ nextStatus }) => ({
      nextStatus: (order, told) =>
        order.kind === 'payout' && told.status === 'reversed' ? undefined : nextStatus(order, told),
    }),
  },
  'PAY-5': {
    fault: 'books the result of a payout whenever it comes',
    habits: ({ take }) => ({
      async take(shop, event, told, request) {
        const again = await shop.store.read(({ events }) => events.has(event))
        await take(shop, event, told, request)
        if (again)
          await shop.store.write((rows) => {
            const order = shop.habits.orderOf(rows, told)
            if (order?.kind === 'payout') order.deliveries++
          })
      },
    }),
  },
  'PAY-6': {
    fault: 'asks again until the wallet is full',
    habits: resends(refusedFor(/insufficient balance/)),
  },
  'PAY-7': {
    fault: 'takes a payout for paid when any result comes',
    habits: ({ nextStatus }) => ({
      nextStatus: (order, told) =>
        order.kind === 'payout' && told.status === 'failed' ? 'paid' : nextStatus(order, told),
    }),
  },
  'PAY-8': {
    fault: 'leaves payouts out when it compares its books',
    habits: ({ reconcile }) => ({
      reconcile: (shop, statement, account) => reconcile(shop, statement, account, ['collection']),
    }),
  },
}
