/** Phones, what they are asked, and what their owners do. */
import type {
  AnswerPromptRequest,
  ChangePhoneRequest,
  PayFromPhoneRequest,
  Phone,
  Prompt,
  TransactionStatus,
} from '../../generated/control/types.ts'

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
export interface PromptFilter {
  readonly state?: 'waiting' | 'paid' | 'failed' | undefined
  readonly phone?: string | undefined
}

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
export interface PromptWaiting {
  /** On the wall, such as `10s`, which it is when left out. */
  readonly timeout?: string | undefined
}

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
