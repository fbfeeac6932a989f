import type { PhoneClient, Prompt, PromptWaiting } from '../client/types.ts'
import { painter } from './paint.ts'
import type { Session } from './session.ts'
import type { Teller } from './teller.ts'

export interface WaitOptions {
  /** Milliseconds. */
  readonly for: number
}

export interface BalanceOptions {
  readonly currency?: string
}

export function tellPrompts(out: Teller, prompts: readonly Prompt[]): void {
  if (prompts.length === 0) out.say('no prompt waits')
  for (const prompt of prompts) tellPrompt(out, prompt)
}

function tellPrompt(out: Teller, prompt: Prompt): void {
  const { phone, id, business, amount, currency, state, reason, expires_at } = prompt
  const ends = state === 'waiting' && expires_at !== null ? ` until ${expires_at}` : ''
  const colour = state === 'paid' ? 'green' : state === 'failed' ? 'red' : 'yellow'
  const stands = painter(out.colours)(colour, `${state}${reason === null ? '' : `: ${reason}`}`)
  out.say(`${phone}  ${currency} ${amount} to ${business}  ${id}  ${stands}${ends}`, {
    kind: 'prompt',
    ...prompt,
  })
}

/** Does what a payer does, and tells how the prompt stands then. */
export async function answer(
  { world, out }: Session,
  number: string,
  { for: limit }: WaitOptions,
  how: (phone: PhoneClient, waiting: PromptWaiting) => Promise<Prompt>,
): Promise<void> {
  tellPrompt(out, await how(world.phone(number), { timeout: `${limit}ms` }))
}

/** Tells what a phone holds. @param amount what it is to hold from now on */
export async function balance(
  { world, out }: Session,
  number: string,
  amount: number | undefined,
  { currency }: BalanceOptions,
): Promise<void> {
  const phone = world.phone(number)
  const { number: full, balances } =
    amount === undefined ? await phone.show() : await phone.change({ balance: amount, currency })
  for (const each of balances.filter((held) => currency === undefined || held.currency === currency)) {
    const endless = each.limited ? '' : '  (it never runs short)'
    out.say(`${full}  ${each.currency} ${each.amount}${endless}`, { kind: 'balance', phone: full, ...each })
  }
}
