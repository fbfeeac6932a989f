/** What a spreadsheet takes for the beginning of a formula. */
const FORMULA = /^[\s"']*[=+\-@\t\r＝＋－＠]/

/**
 * Rows as a table of RFC 4180, the names of its columns first. A text that a spreadsheet would take for a formula begins with an
 * apostrophe; numbers stay as they are.
 */
export function csvText(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = String(value)
  const plain = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replace(/"/g, '""')}"` : plain
}
