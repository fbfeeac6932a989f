/** Phones, what they are asked, and what their owners do. */
import { listBy } from './lists.ts'
import { type FilterOf, requireKnown } from './operations.ts'
import type { Transport } from './transport.ts'
import type {
  AnswerPromptRequest,
  ChangePhoneRequest,
  PayFromPhoneRequest,
  Phone,
  Prompt,
  TransactionStatus,
} from '../generated/control/types.ts'

/**
 * Which prompts are meant.
 * @example
 * ```ts
 * import type { PromptFilter } from 'payments-sandbox'
 *
 * const paid: PromptFilter = { state: 'paid', phone: '0712345678' }
 * const prompts = await world.prompts.list(paid)
 * prompts.length // => 1
 * ```
 */
export type PromptFilter = FilterOf<'listPrompts'>

/**
 * How long a prompt is waited for.
 * @example
 * ```ts
 * import type { PromptWaiting } from 'payments-sandbox'
 *
 * const patient: PromptWaiting = { timeout: '30s' }
 * const refused = await world.phone('0722000111').prompt({ ...patient, timeout: '0' }).catch((error: unknown) => error)
 * refused instanceof Error // => true
 * ```
 */
export type PromptWaiting = Omit<FilterOf<'waitForPrompt'>, 'phone'>

/**
 * What payers are asked on their phones.
 * @example
 * ```ts
 * import type { PromptsClient } from 'payments-sandbox'
 *
 * const states = async (prompts: PromptsClient) => {
 *   const all = await prompts.list()
 *   return all.map(({ state }) => state)
 * }
 * await states(world.prompts) // => ['paid']
 * ```
 */
export interface PromptsClient {
  /** Newest first. */
  list(filter?: PromptFilter): Promise<readonly Prompt[]>
  /** @param id any identifier of its payment */
  get(id: string): Promise<Prompt>
  /** @throws SandboxError 400 when it is over, saying how it ended */
  answer(id: string, answer: AnswerPromptRequest): Promise<Prompt>
}

/**
 * A phone, and what its owner does with it.
 * @example
 * ```ts
 * import type { PhoneClient } from 'payments-sandbox'
 *
 * const phone: PhoneClient = world.phone('0712345678')
 * const [receipt] = await phone.messages()
 * receipt?.text.includes('Confirmed') // => true
 * ```
 */
export interface PhoneClient {
  show(): Promise<Phone>
  change(change: ChangePhoneRequest): Promise<Phone>
  /** The prompt that waits on it, as soon as there is one. @throws SandboxError 504 that says what was there instead */
  prompt(waiting?: PromptWaiting): Promise<Prompt>
  /** Waits for a prompt and types a PIN; `1234` is right until it is changed. */
  pin(pin: string, waiting?: PromptWaiting): Promise<Prompt>
  /** Waits for a prompt and cancels it. */
  cancel(waiting?: PromptWaiting): Promise<Prompt>
  /**
   * Waits for a prompt and lets it expire: the world's clock goes on to the end of its time.
   * @throws Error when the prompt is not left to its payer
   */
  ignore(waiting?: PromptWaiting): Promise<Prompt>
  on(): Promise<Phone>
  off(): Promise<Phone>
  /** What it holds, in units of the currency; that of its country when left out. */
  balance(currency?: string): Promise<number>
  /** What the operator wrote to it, newest first. */
  messages(): Promise<Phone['messages']>
  /** Pays from its menu. */
  pay(payment: PayFromPhoneRequest): Promise<TransactionStatus>
}

export const promptsOf = (transport: Transport): PromptsClient => ({
  list: (filter) => listBy(transport, 'prompts.list', 'listPrompts', 'prompts', filter),
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
