/** Shops whose receiver takes for genuine what is not, or not what is, by the check that finds it. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Mutant } from './mutants.ts'
import { resultOf } from './results.ts'
import type { Shop } from './shop.ts'
import { type Signed, signedOf, TOLERANCE } from './signature.ts'

type SignatureCheck = `RCV-${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`

const resultIn = (body: Uint8Array) => resultOf(JSON.parse(Buffer.from(body).toString()))

/** Characters of a signature. */
const WHOLE = 47

/** The order that a body names. */
const orderIn = ({ store }: Shop, body: Uint8Array) =>
  store.read(({ orders }) => orders.get(resultIn(body)?.external_reference ?? ''))

export const signatureMutants: Readonly<Record<SignatureCheck, Mutant>> = {
  'RCV-1': {
    fault: 'takes it, and answers as if it had not',
    habits: ({ receiveCallback }) => ({
      async receiveCallback(shop, request) {
        const answer = await receiveCallback(shop, request)
        return answer.ok ? new Response(null, { status: 404 }) : answer
      },
    }),
  },
  'RCV-2': {
    fault: 'checks the signature where there is one',
    habits: ({ genuine }) => ({
      genuine: (shop, headers, body) =>
        headers.has('webhook-signature') ? genuine(shop, headers, body) : Promise.resolve('unsigned'),
    }),
  },
  'RCV-3': {
    fault: 'believes any signature for an order that waits for that amount',
    habits: ({ genuine }) => ({
      async genuine(shop, headers, body) {
        const event = await genuine(shop, headers, body)
        const signed = event ? undefined : signedOf(headers, body)
        const whole = signed?.signatures.every((each) => each.length === WHOLE)
        if (!signed || !whole || !shop.habits.isFresh(signed, shop.clock.now())) return event
        const order = await orderIn(shop, body)
        return order?.status === 'waiting' && order.amount === resultIn(body)?.amount ? signed.id : undefined
      },
    }),
  },
  'RCV-4': {
    fault: 'checks the signature of the body that it expected, not of the one that came',
    habits: ({ genuine }) => ({
      async genuine(shop, headers, body) {
        const event = await genuine(shop, headers, body)
        const order = event ? undefined : await orderIn(shop, body)
        if (!order) return event
        const expected = Buffer.from(body)
          .toString()
          .replace(/"amount":\d+/, `"amount":${order.amount}`)
        return genuine(shop, headers, Buffer.from(expected))
      },
    }),
  },
  'RCV-5': {
    fault: 'takes what was signed long ago',
    habits: () => ({ isFresh: ({ timestamp }, now) => Number(timestamp) - now / 1000 <= TOLERANCE }),
  },
  'RCV-6': {
    fault: 'takes what is signed ahead of the clock',
    habits: () => ({ isFresh: ({ timestamp }, now) => now / 1000 - Number(timestamp) <= TOLERANCE }),
  },
  'RCV-7': {
    fault: 'falls over at a signature of another length',
    habits: ({ receiveCallback }) => ({
      isSignedWith: (secret, signed) =>
        signed.signatures.some((each) =>
          timingSafeEqual(Buffer.from(each), Buffer.from(ownSignature(secret, signed))),
        ),
      receiveCallback: (shop, request) =>
        receiveCallback(shop, request).catch(() => new Response(null, { status: 500 })),
    }),
  },
  'RCV-8': {
    fault: 'looks at the first of several signatures alone',
    habits: ({ isSignedWith }) => ({
      isSignedWith: (secret, signed) =>
        isSignedWith(secret, { ...signed, signatures: signed.signatures.slice(0, 1) }),
    }),
  },
  'RCV-9': {
    fault: 'takes anything for signed once it has seen that the secret is rotated',
    habits({ genuine }) {
      let rotated = false
      return {
        async genuine(shop, headers, body) {
          const event = await genuine(shop, headers, body)
          const signed = signedOf(headers, body)
          if (event && signed!.signatures.length > 1) rotated = true
          return event ?? (rotated ? signed?.id : undefined)
        },
      }
    },
  },
}

const ownSignature = (secret: string, { id, timestamp, body }: Signed) =>
  `v1,${createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest('base64')}`
