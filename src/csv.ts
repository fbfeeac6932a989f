/** Tables as text for spreadsheets (RFC 4180), with lines that end as programs on every system take them. */

/** A text, or none. */
export type Cell = string | null

/** One line, with its end. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`

/** What a spreadsheet takes for the beginning of a formula, behind whatever it skips. */
const FORMULA = /^\s*[=+\-@|%\t\r]/
const NUMBER = /^-?\d+(?:\.\d+)?$/

/** A text that a spreadsheet would compute begins with an apostrophe, which makes it a text; a negative number stays one. */
function cellText(cell: Cell): string {
  if (cell === null) return ''
  const text = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Whether a request asks for a table: by its parameter, or else by `Accept`. */
export const isCsvAsked = (format: 'json' | 'csv' | undefined, accept: string | undefined): boolean =>
  format === undefined ? /\btext\/csv\b/i.test(accept ?? '') : format === 'csv'
