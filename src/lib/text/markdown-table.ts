/** A table of Markdown, its first row the heads; columns are as wide as their widest cell, the form that the format check asks for. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const rule = widths.map((width) => '-'.repeat(width))
  return [cells[0]!, rule, ...cells.slice(1)].map(line).join('\n')
}
