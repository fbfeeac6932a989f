/** Names of ledger accounts, of operators and of tones. */

/** The meaning of a colour. */
export type Tone = 'good' | 'bad' | 'wait' | 'info' | 'plain'

interface Named {
  readonly id: number
  readonly name: string
}

/**
 * @param account such as `team:63:wallet:KES`
 * @param teams - names of Teams; the others have a number
 */
export function accountName(account: string, teams: readonly Named[] = []): string {
  const [kind, id, pot] = account.split(':')
  if (kind === 'outside') return 'Payers and recipients'
  if (kind === 'fees') return 'Service fees'
  if (kind !== 'team') return kind!.replaceAll('_', ' ')
  const name = teams.find((team) => String(team.id) === id)?.name
  return `${name ?? `Team ${id}`}, ${pot!.replaceAll('_', ' ')}`
}

/**
 * Replaces accounts and amounts in a sentence with readable ones: `outside:KES -3600.00` becomes `Outside
 * −3,600.00`.
 */
export const withAccountNames = (text: string): string =>
  text.replace(
    /\b(team:\d+:\w+:\w+|(?:outside|fees):\w+) ([-−]?)(\d+)(\.\d+)?/g,
    (_, account: string, sign: string, whole: string, rest = '') =>
      `${accountName(account)} ${sign && '−'}${Number(whole).toLocaleString('en')}${rest}`,
  )

/** The operator of a phone: its name in prompts, and its brand colour. */
export interface Operator {
  readonly name: string
  readonly money: string
  /** A class of the style sheet. */
  readonly colour: 'green' | 'red' | 'yellow' | 'blue' | 'plain'
}

/** By number prefix, the longest first. */
const operators: readonly (readonly [prefix: RegExp, operator: Operator])[] = [
  [/^254(73|75[0-6]|762|78|10[0-8])/, { name: 'Airtel', money: 'Airtel Money', colour: 'red' }],
  [/^25477/, { name: 'Telkom', money: 'T-Kash', colour: 'blue' }],
  [/^254/, { name: 'Safaricom', money: 'M-PESA', colour: 'green' }],
  [/^255(74|75|76)/, { name: 'Vodacom', money: 'M-Pesa', colour: 'red' }],
  [/^256(76|77|78|39)/, { name: 'MTN', money: 'MoMo', colour: 'yellow' }],
  [/^256(70|74|75|20)/, { name: 'Airtel', money: 'Airtel Money', colour: 'red' }],
  [/^25078|^25079/, { name: 'MTN', money: 'MoMo', colour: 'yellow' }],
  [/^233(24|25|53|54|55|59)/, { name: 'MTN', money: 'MoMo', colour: 'yellow' }],
]

export const operatorOf = (number: string): Operator =>
  operators.find(([prefix]) => prefix.test(number))?.[1] ?? {
    name: 'Mobile',
    money: 'Mobile money',
    colour: 'plain',
  }

/** Converts a Kenyan local number to digits with the dial code; other input stays unchanged. */
export const digitsOf = (typed: string): string =>
  typed.replace(/[\s()+-]/g, '').replace(/^0(?=[17]\d{8}$)/, '254')
