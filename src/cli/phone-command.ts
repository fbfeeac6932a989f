import { Command } from 'commander'
import { asking } from './asking.ts'
import type { End } from './commands.ts'
import type { BalanceOptions, WaitOptions } from './phone.ts'
import { durationOption, readAmount } from './options.ts'
import type { Process } from './process.ts'

const number = 'as 0712345678, or with the dial code'
const waiting = () => durationOption('--for', 'how long to wait for a prompt', '10s')

/** `phone prompts|approve|cancel|ignore|balance`: be the payer. */
export function phoneCommand(io: Process, end: End): Command {
  const asks = asking(io, end)
  const phone = new Command('phone')
    .summary('be the payer: see prompts and answer them')
    .description(
      'Be the payer: see what payers are asked on their phones, and answer. Prompts wait for it where the setting payer is by_hand.',
    )
  asks(
    phone
      .command('prompts')
      .description('List the prompts that wait, newest first.')
      .argument('[number]', `of one phone, ${number}`)
      .option('--all', 'those that are over, too'),
    async ({ world, out }, number: string | undefined, { all }: { all?: boolean }) => {
      const { tellPrompts } = await phones()
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
      (await phones()).answer(session, number, wait, (phone, how) => phone.pin(pin, how)),
  )
  asks(
    phone
      .command('cancel')
      .description('Wait for a prompt and cancel it.')
      .argument('<number>', number)
      .addOption(waiting()),
    async (session, number: string, wait: WaitOptions) =>
      (await phones()).answer(session, number, wait, (phone, how) => phone.cancel(how)),
  )
  asks(
    phone
      .command('ignore')
      .description("Wait for a prompt and let it expire: the world's clock goes on to the end of its time.")
      .argument('<number>', number)
      .addOption(waiting()),
    async (session, number: string, wait: WaitOptions) =>
      (await phones()).answer(session, number, wait, (phone, how) => phone.ignore(how)),
  )
  asks(
    phone
      .command('balance')
      .description('Show what a phone holds, or say what it holds from now on.')
      .argument('<number>', number)
      .argument('[amount]', 'in units of the currency', readAmount)
      .option('--currency <code>', 'such as KES (default: that of its country)'),
    async (session, number: string, amount: number | undefined, options: BalanceOptions) =>
      (await phones()).balance(session, number, amount, options),
  )
  return phone
}

const phones = () => import('./phone.ts')
