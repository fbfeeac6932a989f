import { Command } from 'commander'
import { durationOption, readAmount } from './options.ts'
import { painter, type Output } from './output.ts'
import type { Process } from './process.ts'
import type { End } from './options.ts'
import { worldCommand, type Session } from './world-command.ts'
import type { PhoneClient, Prompt, PromptWaiting } from '../client/types.ts'

const number = 'such as 0712345678, or with the dial code'
const waiting = () => durationOption('--for', 'how long to wait for a prompt', '10s')

export function phoneCommand(io: Process, end: End): Command {
  const asks = worldCommand(io, end)
  const phone = new Command('phone').description(
    'Act as the payer: list payment prompts and approve or decline them. Set payer=manual so that prompts wait for you.',
  )
  asks(
    phone
      .command('prompts')
      .description('List open prompts, newest first.')
      .argument('[number]', `a phone number, ${number}`)
      .option('--all', 'include closed prompts'),
    async ({ world, out }, number: string | undefined, { all }: { all?: boolean }) => {
      printPrompts(out, await world.prompts.list({ phone: number, ...(!all && { state: 'waiting' }) }))
    },
  )
  asks(
    phone
      .command('approve')
      .description('Wait for a prompt and enter the PIN.')
      .argument('<number>', number)
      .option('--pin <pin>', 'the PIN to enter', '1234')
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
      .description("Wait for a prompt and advance the world's clock until it expires.")
      .argument('<number>', number)
      .addOption(waiting()),
    async (session, number: string, wait: WaitOptions) =>
      answer(session, number, wait, (phone, how) => phone.ignore(how)),
  )
  asks(
    phone
      .command('balance')
      .description('Show or set the balance of a phone.')
      .argument('<number>', number)
      .argument('[amount]', 'the new balance in major units', readAmount)
      .option('--currency <code>', 'such as KES (default: the currency of its country)'),
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

function printPrompts(out: Output, prompts: readonly Prompt[]): void {
  if (prompts.length === 0) out.say('no open prompt')
  for (const prompt of prompts) printPrompt(out, prompt)
}

function printPrompt(out: Output, prompt: Prompt): void {
  const { phone, id, business, amount, currency, state, reason, expires_at } = prompt
  const ends = state === 'waiting' && expires_at !== null ? ` until ${expires_at}` : ''
  const colour = state === 'paid' ? 'green' : state === 'failed' ? 'red' : 'yellow'
  const status = painter(out.colours)(colour, `${state}${reason === null ? '' : `: ${reason}`}`)
  out.say(`${phone}  ${currency} ${amount} to ${business}  ${id}  ${status}${ends}`, {
    kind: 'prompt',
    ...prompt,
  })
}

async function answer(
  { world, out }: Session,
  number: string,
  { for: limit }: WaitOptions,
  how: (phone: PhoneClient, waiting: PromptWaiting) => Promise<Prompt>,
): Promise<void> {
  printPrompt(out, await how(world.phone(number), { timeout: `${limit}ms` }))
}

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
    const endless = each.limited ? '' : '  (unlimited)'
    out.say(`${full}  ${each.currency} ${each.amount}${endless}`, { kind: 'balance', phone: full, ...each })
  }
}
