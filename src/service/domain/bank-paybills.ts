import { banks } from './kenyan-codes.ts'

/** Paybills of banks by their codes, as the banks name them to whoever pays in. */
const published: { readonly [code: string]: string } = {
  '01': '522522',
  '02': '329329',
  '03': '303030',
  '07': '880100',
  '11': '400200',
  '31': '600100',
  '57': '542542',
  '63': '516600',
  '66': '111999',
  '68': '247247',
  '70': '222111',
}

/** The banks of Kenya with their paybills; those that are not published are made of the bank's code (assumed). */
export const bankPaybills = banks.map(({ code, name }) => ({
  code,
  name,
  paybill: published[code] ?? `9900${code}`,
}))
