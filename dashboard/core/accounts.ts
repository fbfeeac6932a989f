/** Names of ledger accounts. */

/** @param account such as `team:63:wallet:KES` */
export function accountName(account: string): string {
  const [kind, team, pot] = account.split(':')
  if (kind === 'team') return `Team ${team}, ${pot!.replaceAll('_', ' ')}`
  return kind === 'outside' ? 'Outside' : kind === 'fees' ? 'Service fees' : account
}

/** Whether the account belongs to a Team. */
export const isTeams = (account: string): boolean => account.startsWith('team:')

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
