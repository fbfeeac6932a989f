/** The table of docs/receivers.md. */
import { readFileSync } from 'node:fs'
import { formatted } from '../../../openapi/formatted.ts'
import { markdownTable } from '../../../src/lib/text/markdown-table.ts'
import { receivers } from './receivers.ts'
import { effectOf, orders, type Row, rules } from './row.ts'
import { rows } from './rows.ts'
import { afterwards, type Outcome } from './try.ts'

const names = Object.keys(receivers)
const between = /(<!-- results:begin -->).*(<!-- results:end -->)/s

const rightOf = ({ answers, order }: Pick<Row, 'answers' | 'order'>) =>
  `${answers.text}, ${[order].flat().map(effectOf).join(' or ')}`

/** What is right of each row, by its title. */
const expected: ReadonlyMap<string, string> = new Map([
  ...rows.map((row) => [row.title, rightOf(row)] as const),
  ...Object.values(afterwards).map(
    (title) => [title, rightOf({ answers: rules.taken, order: orders.paid })] as const,
  ),
  [afterwards.withdrawn, rightOf({ answers: rules.refused, order: orders.waiting })],
])

/** The cells that the page has now, by title and receiver. */
function cellsIn(page: string): (title: string, name: string) => string {
  const lines = (between.exec(page)?.[0] ?? '').split('\n').filter((line) => line.startsWith('| '))
  const [head = [], ...body] = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  const byTitle = new Map(body.map((cells) => [cells[0], cells]))
  return (title, name) => byTitle.get(title)?.[head.indexOf(name)] ?? ''
}

/** The page with what these receivers did; of the others it stays as it is. */
export async function pageWith(file: string, outcomes: ReadonlyMap<string, Outcome>): Promise<string> {
  const page = readFileSync(file, 'utf8')
  if (!between.test(page)) throw new Error(`${file} has no <!-- results:begin --> and <!-- results:end -->`)
  const before = cellsIn(page)
  const lines = [...expected].map(([title, right]) => [
    title,
    right,
    ...names.map((name) => outcomes.get(name)?.cells.get(title) ?? before(title, name)),
  ])
  const table = markdownTable([['Callback', 'Right is', ...names], ...lines])
  const text = page.replace(between, (_, begin: string, end: string) => `${begin}\n\n${table}\n\n${end}`)
  return formatted(file, text)
}
