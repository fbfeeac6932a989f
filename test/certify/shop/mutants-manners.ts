/** Shops whose receiver bears little or answers badly, by the check that finds it. */
import type { Mutant } from './mutants.ts'
import { isCut } from './cut.ts'

type MannersCheck = `RCV-${20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28}`

/** Later than a profile of the tests allows, milliseconds. */
export const LATE = 2400

export const mannersMutants: Readonly<Record<MannersCheck, Mutant>> = {
  'RCV-20': {
    fault: 'answers with a page',
    habits: ({ receiveCallback }) => ({
      async receiveCallback(shop, request) {
        const answer = await receiveCallback(shop, request)
        return answer.ok ? new Response('<p>Thank you.</p>'.repeat(400)) : answer
      },
    }),
  },
  'RCV-21': {
    fault: 'thinks long about what it refuses',
    habits: ({ refuse }) => ({
      async refuse(shop) {
        await shop.clock.sleep(LATE, shop.stopped)
        return refuse(shop)
      },
    }),
  },
  'RCV-22': {
    fault: 'bears twenty at a time',
    habits({ receiveCallback }) {
      let inside = 0
      return {
        async receiveCallback(shop, request) {
          if (inside >= 20) return new Response(null, { status: 503 })
          inside++
          try {
            return await receiveCallback(shop, request)
          } finally {
            inside--
          }
        },
      }
    },
  },
  'RCV-23': {
    fault: 'notes that it has it, and stops working on it when the connection goes',
    habits: ({ take }) => ({
      async take(shop, event, told, request) {
        const known = await shop.store.read(({ events }) => events.has(event))
        if (known || !(await isCut(shop, request))) return take(shop, event, told, request)
        return shop.store.write(({ events }) => void events.set(event, shop.clock.now()))
      },
    }),
  },
  'RCV-24': {
    fault: 'reads JSON by a pattern',
    habits: ({ parse }) => ({
      parse: (body) =>
        /"amount":\d+(\.\d+)?,"/.test(Buffer.from(body).toString()) ? parse(body) : undefined,
    }),
  },
  'RCV-25': {
    fault: 'takes PUT and DELETE for POST',
    habits: () => ({ isMethod: ({ method }) => method !== 'GET' && method !== 'HEAD' }),
  },
  'RCV-26': {
    fault: 'falls over at a large body',
    habits: ({ receiveCallback }) => ({
      async receiveCallback(shop, request) {
        const answer = await receiveCallback(shop, request)
        return answer.status === 413 ? new Response(null, { status: 500 }) : answer
      },
    }),
  },
  'RCV-27': {
    fault: 'shows where it failed',
    habits: () => ({
      refuse: async () => new Response(new Error('the signature does not hold').stack, { status: 401 }),
    }),
  },
  'RCV-28': {
    fault: 'answers, and stores when somebody looks',
    habits({ take, reconcile, showOrder }) {
      const left: (() => Promise<void>)[] = []
      const store = async () => {
        for (let next = left.shift(); next; next = left.shift()) await next()
      }
      return {
        async take(...told) {
          left.push(() => take(...told))
        },
        showOrder: (...asked) => store().then(() => showOrder(...asked)),
        reconcile: (...asked) => store().then(() => reconcile(...asked)),
      }
    },
  },
}
