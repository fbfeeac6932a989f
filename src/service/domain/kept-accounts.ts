/**
 * Bank accounts and short codes that are kept for scenarios, as blocks of mobile numbers are: the last three digits say which is
 * meant. No bank numbers its accounts so, and no paybill or till begins with a zero.
 */

/** What a bank account of scenarios begins with, in every country; ten digits in all. */
export const KEPT_ACCOUNTS = '9900000'
/** What a paybill or till of scenarios begins with; seven digits in all. */
export const KEPT_SHORT_CODES = '0000'

const ENDING = /^(?:9900000|0000)(\d{3})(?:#.*)?$/

/** The three digits that it ends in, when it is one of those; of a paybill without what follows `#`. */
export const keptEnding = (party: string): string | undefined => ENDING.exec(party)?.[1]
