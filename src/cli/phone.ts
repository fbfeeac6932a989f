import { Command } from '@commander-js/extra-typings'
import { durationOr, type End, readAmount } from './options.ts'
import { painter, type Output } from './output.ts'
import type { Process } from './process.ts'
import { worldCommand } from './world-command.ts'
import type { Prompt } from '../client/types.ts'

const number = 'such as 0712345678, or with the dial code'
const waiting = () => durationOr('--for', 'how long to wait for a prompt', '10s')

export function phoneCommand(io: Process, end: End) {
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
    async ({ world, out }, number, { all }) => {
      const prompts = await world.prompts.list({ phone: number, ...(!all && { state: 'waiting' }) })
      if (prompts.length === 0) out.say('no open prompt')
      for (const prompt of prompts) printPrompt(out, prompt)
    },
  )
  asks(
    phone
      .command('approve')
      .description('Wait for a prompt and enter the PIN.')
      .argument('<number>', number)
      .option('--pin <pin>', 'the PIN to enter', '1234')
      .addOption(waiting()),
    async ({ world, out }, number, { pin, for: limit }) =>
      printPrompt(out, await world.phone(number).pin(pin, within(limit))),
  )
  asks(
    phone
      .command('cancel')
      .description('Wait for a prompt and cancel it.')
      .argument('<number>', number)
      .addOption(waiting()),
    async ({ world, out }, number, { for: limit }) =>
      printPrompt(out, await world.phone(number).cancel(within(limit))),
  )
  asks(
    phone
      .command('ignore')
      .description("Wait for a prompt and advance the world's clock until it expires.")
      .argument('<number>', number)
      .addOption(waiting()),
    async ({ world, out }, number, { for: limit }) =>
      printPrompt(out, await world.phone(number).ignore(within(limit))),
  )
  asks(
    phone
      .command('balance')
      .description('Show or set the balance of a phone.')
      .argument('<number>', number)
      .argument('[amount]', 'the new balance in major units', readAmount)
      .option('--currency <code>', 'such as KES (default: the currency of its country)'),
    async ({ world, out }, number, amount, { currency }) => {
      const phone = world.phone(number)
      const { number: full, balances } =
        amount === undefined ? await phone.show() : await phone.change({ balance: amount, currency })
      for (const each of balances.filter((held) => currency === undefined || held.currency === currency)) {
        const endless = each.limited ? '' : '  (unlimited)'
        const fact = { kind: 'balance', phone: full, ...each }
        out.say(`${full}  ${each.currency} ${each.amount}${endless}`, fact)
      }
    },
  )
  return phone
}

/** @param limit - Milliseconds. */
const within = (limit: number) => ({ timeout: `${limit}ms` })

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
