/** Shops that failed to do something, or that tell too much, by the check that finds it. */
import type { CheckId } from '../../../src/certify/check-ids.ts'
import { linesOf } from './books.ts'
import type { Mutant } from './mutants.ts'

type OtherCheck = Exclude<CheckId, `RCV-${string}` | `CLI-${string}` | `PAY-${string}`>

const never = (what: string): Mutant => ({ fault: `never ${what}` })

export const otherMutants: Readonly<Record<OtherCheck, Mutant>> = {
  'ONB-1': never('saw a payment succeed'),
  'ONB-2': never('saw a payment fail'),
  'ONB-3': never('saw a payment reversed'),
  'ONB-4': never('made a payout'),
  'ONB-5': never('listed its channels'),
  'ONB-6': never('saw both ends of a review'),
  'ONB-7': never('saw an invitation accepted'),
  'ONB-8': never('asked discovery before it paid abroad'),
  'ONB-9': never('met an error'),
  'ONB-10': never('listed its features'),
  'SEC-1': {
    fault: 'has its password in the address too',
    habits: ({ write }) => ({
      write(shop, account, question) {
        const [, password = ''] = Buffer.from(account.authorization.slice('Basic '.length), 'base64')
          .toString()
          .split(':')
        return write(shop, account, {
          ...question,
          path: `${question.path}${question.path.includes('?') ? '&' : '?'}key=${encodeURIComponent(password)}`,
        })
      },
    }),
  },
  'SEC-2': {
    fault: 'is called back without TLS',
    origin: 'http://shop.example',
  },
  'SEC-3': {
    fault: 'sends its whole configuration along',
    habits: ({ requestOf }) => ({
      async requestOf(shop, order) {
        const question = await requestOf(shop, order)
        return { ...question, body: { ...Object(question.body), webhook: { secret: shop.secrets()[0] } } }
      },
    }),
  },
  'SEC-4': {
    fault: 'goes by the name of its library',
    habits: ({ write }) => ({
      write(shop, account, question) {
        const request = write(shop, account, question)
        request.headers.set('user-agent', 'node')
        return request
      },
    }),
  },
  'SEC-5': {
    fault: 'shows a page at its callback address',
    habits: ({ receiveCallback }) => ({
      receiveCallback: async (shop, request) =>
        request.method === 'GET'
          ? new Response('<h1>Callbacks of the shop</h1>')
          : receiveCallback(shop, request),
    }),
  },
  'REC-1': {
    fault: 'forgets that a payment costs something',
    habits: ({ reconcile }) => ({
      reconcile: async (shop, statement, account) => [
        ...(await reconcile(shop, statement, account)),
        ...linesOf(statement, 'collection').map(({ reference }) => `${reference} came without its charge`),
      ],
    }),
  },
  'REC-2': {
    fault: 'does not see that a line is there twice',
    habits: ({ reconcile }) => ({
      reconcile: async (shop, statement, account) =>
        (await reconcile(shop, statement, account)).filter((each) => !/more than once/.test(each)),
    }),
  },
}
