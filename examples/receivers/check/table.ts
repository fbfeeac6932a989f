/** The table of docs/receivers.md: callbacks grouped by what is expected and what the receivers did. */
import { readFileSync } from 'node:fs'
import { formatted } from '../../../openapi/formatted.ts'
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

/** Between two callbacks of one cell; no title contains it. */
const SEPARATOR = ' · '

/** The cell of most receivers, then the exceptions: `204, paid; django: 401, waiting`. */
function resultCell(cells: ReadonlyMap<string, string>): string {
  const counts = new Map<string, number>()
  for (const cell of cells.values()) counts.set(cell, (counts.get(cell) ?? 0) + 1)
  const [[usual = ''] = []] = [...counts].sort(([, a], [, b]) => b - a)
  const exceptions = [...cells].filter(([, cell]) => cell !== usual)
  return [usual, ...exceptions.map(([name, cell]) => `${name}: ${cell}`)].join('; ')
}

/** Reads the cells of the current page, by title and receiver. */
export function cellsIn(page: string): (title: string, name: string) => string | undefined {
  const results = new Map<string, string>()
  for (const line of (between.exec(page)?.[0] ?? '').split('\n').filter((each) => each.startsWith('| '))) {
    const [, result = '', titles = ''] = line.slice(2, -1).split(' | ')
    for (const title of titles.trim().split(SEPARATOR)) results.set(title, result.trim())
  }
  return (title, name) => {
    const [usual, ...exceptions] = results.get(title)?.split('; ') ?? []
    return exceptions.find((each) => each.startsWith(`${name}: `))?.slice(name.length + 2) ?? usual
  }
}

/** The page with what these receivers did; of the others it stays as it is. */
export async function pageWith(file: string, outcomes: ReadonlyMap<string, Outcome>): Promise<string> {
  const page = readFileSync(file, 'utf8')
  if (!between.test(page)) throw new Error(`${file} has no <!-- results:begin --> and <!-- results:end -->`)
  const before = cellsIn(page)
  const groups = new Map<string, string[]>()
  for (const [title, right] of expected) {
    const cells = names.map(
      (name) => [name, outcomes.get(name)?.cells.get(title) ?? before(title, name) ?? ''] as const,
    )
    const group = `| ${right} | ${resultCell(new Map(cells))} |`
    groups.set(group, [...(groups.get(group) ?? []), title])
  }
  const lines = [...groups].map(([group, titles]) => `${group} ${titles.join(SEPARATOR)} |`)
  const table = ['| Expected | Received | Callbacks |', '| --- | --- | --- |', ...lines].join('\n')
  const text = page.replace(between, (_, begin: string, end: string) => `${begin}\n\n${table}\n\n${end}`)
  return formatted(file, text)
}
