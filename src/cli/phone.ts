import { Command } from 'commander'
import { durationOption, readAmount } from './options.ts'
import { painter, type Output } from './output.ts'
import type { Process } from './process.ts'
import type { End } from './options.ts'
import { worldCommand, type Session } from './world-command.ts'
import type { PhoneClient, Prompt, PromptWaiting } from '../client/types.ts'

const number = 'as 0712345678, or with the dial code'
const waiting = () => durationOption('--for', 'how long to wait for a prompt', '10s')

/** `phone prompts|approve|cancel|ignore|balance`: be the payer. */
export function phoneCommand(io: Process, end: End): Command {
  const asks = worldCommand(io, end)
  const phone = new Command('phone').description(
    'Be the payer: see what payers are asked on their phones, and answer. Prompts wait for it where the setting payer is manual.',
  )
  asks(
    phone
      .command('prompts')
      .description('List the prompts that wait, newest first.')
      .argument('[number]', `of one phone, ${number}`)
      .option('--all', 'those that are over, too'),
    async ({ world, out }, number: string | undefined, { all }: { all?: boolean }) => {
      tellPrompts(out, await world.prompts.list({ phone: number, ...(!all && { state: 'waiting' }) }))
    },
  )
  asks(
    phone
      .command('approve')
      .description('Wait for a prompt and type the PIN.')
      .argument('<number>', number)
      .option('--pin <pin>', 'another than the right one until it is changed', '1234')
      .addOption(waiting()),
    async (session, number: string, { pin, ...wait }: WaitOptions & { pin: string }) =>
      answer(session, number, wait, (phone, how) => phone.pin(pin, how)),
  )
  asks(
    phone
      .command('cancel')
      .description('Wait for a prompt and cancel it.')
      .argument('<number>', number)
      .addOption(waiting()),
    async (session, number: string, wait: WaitOptions) =>
      answer(session, number, wait, (phone, how) => phone.cancel(how)),
  )
  asks(
    phone
      .command('ignore')
      .description("Wait for a prompt and let it expire: the world's clock goes on to the end of its time.")
      .argument('<number>', number)
      .addOption(waiting()),
    async (session, number: string, wait: WaitOptions) =>
      answer(session, number, wait, (phone, how) => phone.ignore(how)),
  )
  asks(
    phone
      .command('balance')
      .description('Show what a phone holds, or say what it holds from now on.')
      .argument('<number>', number)
      .argument('[amount]', 'in units of the currency', readAmount)
      .option('--currency <code>', 'such as KES (default: that of its country)'),
    async (session, number: string, amount: number | undefined, options: BalanceOptions) =>
      balance(session, number, amount, options),
  )
  return phone
}

interface WaitOptions {
  /** Milliseconds. */
  readonly for: number
}

interface BalanceOptions {
  readonly currency?: string
}

function tellPrompts(out: Output, prompts: readonly Prompt[]): void {
  if (prompts.length === 0) out.say('no prompt waits')
  for (const prompt of prompts) tellPrompt(out, prompt)
}

function tellPrompt(out: Output, prompt: Prompt): void {
  const { phone, id, business, amount, currency, state, reason, expires_at } = prompt
  const ends = state === 'waiting' && expires_at !== null ? ` until ${expires_at}` : ''
  const colour = state === 'paid' ? 'green' : state === 'failed' ? 'red' : 'yellow'
  const stands = painter(out.colours)(colour, `${state}${reason === null ? '' : `: ${reason}`}`)
  out.say(`${phone}  ${currency} ${amount} to ${business}  ${id}  ${stands}${ends}`, {
    kind: 'prompt',
    ...prompt,
  })
}

/** Answers a prompt as the payer and prints it. */
async function answer(
  { world, out }: Session,
  number: string,
  { for: limit }: WaitOptions,
  how: (phone: PhoneClient, waiting: PromptWaiting) => Promise<Prompt>,
): Promise<void> {
  tellPrompt(out, await how(world.phone(number), { timeout: `${limit}ms` }))
}

/** Prints the balances of a phone. @param amount the new balance */
async function balance(
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
