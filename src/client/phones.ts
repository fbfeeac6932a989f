/** What payers do on their phones. */
import { requireKnown } from './filters.ts'
import { listOf } from './pages.ts'
import type { Transport } from './transport.ts'
import type { PhoneClient, WorldClient } from './types.ts'

export const promptsOf = (transport: Transport): WorldClient['prompts'] => ({
  async list(filter = {}) {
    requireKnown('prompts.list', filter, ['state', 'phone'])
    return listOf(transport, 'listPrompts', 'prompts', { query: filter })
  },
  get: (id) => transport.call('getPrompt', { path: { id } }),
  answer: (id, body) => transport.call('answerPrompt', { path: { id }, body }),
})

export function phoneOf(transport: Transport, number: string): PhoneClient {
  const { call } = transport
  const prompts = promptsOf(transport)
  const path = { number }
  const show = () => call('getPhone', { path })
  const change: PhoneClient['change'] = (body) => call('updatePhone', { path, body })
  const prompt: PhoneClient['prompt'] = async (waiting = {}) => {
    requireKnown('phone.prompt', waiting, ['timeout'])
    return call('waitForPrompt', { query: { phone: number, ...waiting } })
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
      const { now } = await call('getClock')
      if (now < expires_at) await call('advanceClock', { body: { to: expires_at } })
      return prompts.get(id)
    },
    on: () => change({ on: true }),
    off: () => change({ on: false }),
    async balance(currency) {
      const { balances } = await show()
      return balances.find((each) => currency === undefined || each.currency === currency)?.amount ?? 0
    },
    messages: async () => (await show()).messages,
    pay: (body) => call('payFromPhone', { path, body }),
  }
}
