/** The banks of the Kenya-based endpoints. */
export interface KenyanBank {
  readonly code: string
  readonly name: string
  /**
   * The name in results: observed for the providers of the bank rail, derived from the bank's name for the others
   * (assumed).
   */
  readonly provider: string
  readonly share: number
  readonly account: string
  /** As published by the bank. */
  readonly paybill?: string
}

const slugOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]+/g, '_')

/** @param share - relative number of transfers (assumed, in the order of the Central Bank's size of banks) */
const bank = (
  code: string,
  name: string,
  share: number,
  paybill?: string,
  account = '0#########',
  provider = slugOf(name),
): KenyanBank => ({ code, name, provider, share, account, ...(paybill && { paybill }) })

/** Codes and names observed in the service's public list of banks; forms of accounts are assumed. */
export const kenyanBanks: readonly KenyanBank[] = [
  bank('01', 'KCB Bank', 210, '522522', '1#########', 'kcb'),
  bank('02', 'Standard Chartered', 40, '329329', '01########00'),
  bank('03', 'Absa Bank Kenya', 65, '303030', '20########', 'absa'),
  bank('07', 'NCBA', 75, '880100', '##########'),
  bank('10', 'Prime', 9),
  bank('11', 'Co-operative', 150, '400200', '0110#######500'),
  bank('12', 'National', 16, undefined, '010##########0'),
  bank('14', 'M-Oriental', 1),
  bank('16', 'Citi', 3),
  bank('18', 'Middle East', 1),
  bank('19', 'Bank of Africa', 6),
  bank('23', 'Consolidated', 2),
  bank('25', 'Credit', 3),
  bank('31', 'Stanbic Bank', 35, '600100', '01000########', 'stanbic'),
  bank('35', 'ABC', 3),
  bank('36', 'Choice MFB', 2),
  bank('43', 'Ecobank', 5),
  bank('50', 'Paramount', 1),
  bank('51', 'Kingdom', 4),
  bank('53', 'Guaranty', 3),
  bank('54', 'Victoria', 2),
  bank('55', 'Guardian', 1),
  bank('57', 'I&M Bank', 45, '542542', '0##########250', 'i&m'),
  bank('61', 'HFC', 6),
  bank('63', 'Diamond Trust Bank', 42, '516600', '0######001', 'dtb'),
  bank('65', 'Mayfair', 1),
  bank('66', 'Sidian', 7, '111999'),
  bank('68', 'Equity Bank', 230, '247247', '0##018#######', 'equity'),
  bank('70', 'Family', 28, '222111', '0##00000####0'),
  bank('72', 'Gulf African', 4),
  bank('74', 'First Community', 2),
  bank('75', 'DIB', 1),
  bank('76', 'UBA', 2),
  bank('78', 'KWFT', 6),
]
