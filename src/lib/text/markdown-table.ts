/** Formats rows, the first of which is the header, as a Markdown table with padded columns, as the formatter does. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const rule = widths.map((width) => '-'.repeat(width))
  return [cells[0]!, rule, ...cells.slice(1)].map(line).join('\n')
}
