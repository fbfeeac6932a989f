export type Tone = 'good' | 'bad' | 'wait' | 'info' | 'plain'

export const rails: { readonly [rail: string]: string } = {
  momo: 'mobile money',
  bank: 'bank',
  card: 'card',
}

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

/** Converts a Kenyan local number to digits with the dial code; other input stays unchanged. */
export const digitsOf = (typed: string): string =>
  typed.replace(/[\s()+-]/g, '').replace(/^0(?=[17]\d{8}$)/, '254')
