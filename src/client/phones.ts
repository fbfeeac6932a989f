/** What payers do on their phones. */
import { requireKnown } from './filters.ts'
import { pagesOf } from './pages.ts'
import type { Transport } from './transport.ts'
import type { Clock, Phone, PhoneClient, Prompt, WorldClient } from './types.ts'

export const promptsOf = (transport: Transport): WorldClient['prompts'] => {
  const path = (id: string) => `/sandbox/prompts/${encodeURIComponent(id)}`
  return {
    async list(filter = {}) {
      requireKnown('prompts.list', filter, ['state', 'phone'])
      return (await pagesOf<Prompt>(transport, '/sandbox/prompts', 'prompts', { ...filter })).flat()
    },
    get: (id) => transport.ask('GET', path(id)),
    answer: (id, body) => transport.ask('POST', `${path(id)}/answer`, { body }),
  }
}

export function phoneOf(transport: Transport, number: string): PhoneClient {
  const { ask } = transport
  const prompts = promptsOf(transport)
  const path = `/sandbox/phones/${encodeURIComponent(number)}`
  const show = () => ask<Phone>('GET', path)
  const change: PhoneClient['change'] = (body) => ask('PATCH', path, { body })
  const prompt: PhoneClient['prompt'] = async (waiting = {}) => {
    requireKnown('phone.prompt', waiting, ['timeout'])
    return ask('GET', '/sandbox/prompts/wait', { query: { phone: number, ...waiting } })
  }
  return {
    show,
    change,
    prompt,
    pin: async (pin, waiting) => prompts.answer((await prompt(waiting)).id, { pin }),
    cancel: async (waiting) => prompts.answer((await prompt(waiting)).id, { cancel: true }),
    async ignore(waiting) {
      const { id, expires_at } = await prompt(waiting)
      if (expires_at === null)
        throw new Error(
          `prompt ${id} is not left to its payer and settles by itself: set payer to by_hand, as by configure({ payer: 'by_hand' })`,
        )
      const { now } = await ask<Clock>('GET', '/sandbox/clock')
      if (now < expires_at) await ask('POST', '/sandbox/clock/advance', { body: { to: expires_at } })
      return prompts.get(id)
    },
    on: () => change({ on: true }),
    off: () => change({ on: false }),
    async balance(currency) {
      const { balances } = await show()
      return balances.find((each) => currency === undefined || each.currency === currency)?.amount ?? 0
    },
    messages: async () => (await show()).messages,
    pay: (body) => ask('POST', `${path}/payments`, { body }),
  }
}
