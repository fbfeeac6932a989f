import { listBy } from './lists.ts'
import { type FilterOf, requireKnown, requireText } from './operations.ts'
import type { Transport } from './transport.ts'
import type {
  RespondToPromptRequest,
  ChangePhoneRequest,
  PayFromPhoneRequest,
  Phone,
  Prompt,
  TransactionStatus,
} from '../generated/control/types.ts'

/**
 * Filter of `world.prompts.list`.
 * @example
 * ```ts
 * const paid: PromptFilter = { state: 'paid', phone: '0712345678' }
 * const prompts = await world.prompts.list(paid)
 * prompts.length // => 1
 * ```
 */
export type PromptFilter = FilterOf<'listPrompts'>

/**
 * Options of `phone.prompt`: for how long to wait.
 * @example
 * ```ts
 * const waiting: PromptWaiting = { timeout: '0' }
 * const rejected = await world.phone('0722000111').prompt(waiting).catch((error: unknown) => error)
 * rejected instanceof Error // => true
 * ```
 */
export type PromptWaiting = Omit<FilterOf<'waitForPrompt'>, 'phone'>

/**
 * The payment prompts of all phones of a world: `world.prompts`.
 * @example
 * ```ts
 * const prompts = await world.prompts.list()
 * prompts.map(({ state }) => state) // => ['paid']
 * ```
 */
export interface PromptsClient {
  /** Lists prompts, newest first. */
  list(filter?: PromptFilter): Promise<readonly Prompt[]>
  /** @param id - Any identifier of the payment. */
  get(id: string): Promise<Prompt>
  /** @throws {SandboxError} 400 if the prompt has ended, with how it ended. */
  respond(id: string, response: RespondToPromptRequest): Promise<Prompt>
}

/**
 * A phone, used as its owner would: `world.phone(number)`.
 * @example
 * ```ts
 * const phone: PhoneClient = world.phone('0712345678')
 * const [receipt] = await phone.messages()
 * receipt?.text.includes('Confirmed') // => true
 * ```
 */
export interface PhoneClient {
  show(): Promise<Phone>
  change(change: ChangePhoneRequest): Promise<Phone>
  /** Resolves to the open prompt as soon as there is one. @throws {SandboxError} 504 on timeout, with the state of the phone. */
  prompt(waiting?: PromptWaiting): Promise<Prompt>
  /** Waits for a prompt and enters a PIN; `1234` is correct unless it was changed. */
  pin(pin: string, waiting?: PromptWaiting): Promise<Prompt>
  /** Waits for a prompt and cancels it. */
  cancel(waiting?: PromptWaiting): Promise<Prompt>
  /**
   * Waits for a prompt and advances the world's clock until it expires.
   * @throws {Error} If the prompt settles by itself.
   */
  ignore(waiting?: PromptWaiting): Promise<Prompt>
  on(): Promise<Phone>
  off(): Promise<Phone>
  /** Returns the balance in major units, by default in the currency of the phone's country. */
  balance(currency?: string): Promise<number>
  /** Lists text messages from the operator, newest first. */
  messages(): Promise<Phone['messages']>
  /** Pays from the phone's menu. */
  pay(payment: PayFromPhoneRequest): Promise<TransactionStatus>
}

export const promptsOf = (transport: Transport): PromptsClient => ({
  list: (filter) => listBy(transport, 'prompts.list', 'listPrompts', 'prompts', filter),
  get: (id) => transport.call('getPrompt', { path: { id } }),
  respond: (id, body) => transport.call('respondToPrompt', { path: { id }, body }),
})

export function phoneOf(transport: Transport, number: string): PhoneClient {
  const { call } = transport
  const prompts = promptsOf(transport)
  const path = { number: requireText('phone', 'a number such as "0712345678"', number) }
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
    async pin(pin, waiting) {
      requireText('phone.pin', 'a PIN such as "1234"', pin)
      return prompts.respond((await prompt(waiting)).id, { pin })
    },
    cancel: async (waiting) => prompts.respond((await prompt(waiting)).id, { cancel: true }),
    async ignore(waiting) {
      const { id, expires_at } = await prompt(waiting)
      if (expires_at === null)
        throw new Error(
          `prompt ${id} settles by itself: to act as the payer, call configure({ payer: 'manual' }) first`,
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
