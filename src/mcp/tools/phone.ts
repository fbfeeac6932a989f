import * as z from 'zod'
import type { PhoneClient } from '../../client/types.ts'
import { described } from '../fields.ts'
import { ADDS, tool, ToolError } from '../tool.ts'

/** How long a prompt is waited for, on the wall. */
const WAIT = { timeout: '3s' }

const input = z.strictObject({
  number: z.string().min(1).max(32).describe('The phone, such as 0712345678 or 254712345678.'),
  action: z.enum(['show', 'enter_pin', 'cancel', 'ignore', 'switch_on', 'switch_off', 'pay']),
  pin: z.string().max(12).default('1234').describe('For enter_pin: 1234 is right until it is changed.'),
  business_number: z.string().max(20).optional().describe('For pay: the paybill or till.'),
  account_number: z.string().max(100).optional().describe('For pay: the account at the paybill.'),
  amount: z.number().positive().optional().describe('For pay: in units of the currency.'),
})

/** A payer. */
export const phone = tool({
  name: 'phone',
  title: 'Be the payer at a phone',
  description:
    'Does what a payer does: answers the prompt that waits on the phone (enter_pin, cancel), lets it expire (ignore: the clock moves on), switches the phone on or off, pays from its menu, or shows prompts, balance and messages. Prompts wait for an answer where the world’s setting payer is by_hand (tool world).',
  input,
  output: z.object({
    phone: described('The phone afterwards.'),
    prompt: described('The prompt that was answered.').nullable(),
  }),
  hints: ADDS,
  async run(world, given) {
    const at = world.phone(given.number)
    const prompt = await act(at, given)
    const shown = await at.show()
    return {
      text: [
        prompt &&
          `The prompt of ${prompt.business} for ${prompt.currency} ${prompt.amount} is ${prompt.state}${prompt.message ? `: ${prompt.message}` : '.'}`,
        `${shown.number} is ${shown.on ? 'on' : 'off'}; ${shown.waiting} prompts wait.`,
        shown.messages[0] && `Last message: ${shown.messages[0].text}`,
      ]
        .filter(Boolean)
        .join('\n'),
      facts: { phone: shown, prompt },
    }
  },
})

async function act(
  at: PhoneClient,
  { action, pin, business_number, account_number, amount }: z.output<typeof input>,
) {
  if (action === 'enter_pin') return at.pin(pin, WAIT)
  if (action === 'cancel') return at.cancel(WAIT)
  if (action === 'ignore') return at.ignore(WAIT)
  if (action === 'switch_on') await at.on()
  if (action === 'switch_off') await at.off()
  if (action === 'pay') {
    if (business_number === undefined || amount === undefined)
      throw new ToolError('pay needs business_number and amount')
    await at.pay({ business_number, amount, ...(account_number !== undefined && { account_number }) })
  }
  return null
}
