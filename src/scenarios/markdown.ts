import { describeOutcome } from './describe.ts'
import { facts } from './facts.ts'
import { magicNumbers } from './magic.ts'
import { testWords } from './predicates.ts'
import { thenWords } from './then/table.ts'
import type { Word } from './then/word.ts'
import type { Outcome } from '../service/vocabulary/outcome.ts'
import type { Scenario } from './scenario.ts'
import { markdownTable } from '../lib/text/markdown-table.ts'

/** Inserts a table between two markers of a page. @throws {Error} if a marker is missing */
export function withTable(page: string, name: string, table: string): string {
  const begin = `<!-- ${name}: written by npm run generate -->`
  const end = `<!-- /${name} -->`
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`The page needs the lines ${begin} and ${end}, in this order`)
  return `${page.slice(0, from + begin.length)}\n\n${table}\n\n${page.slice(to)}`
}

export function wordsTable(): string {
  const rows = Object.entries<Word>(thenWords).map(([name, { description, example, operations }]) => [
    `\`${name}\``,
    description,
    `\`${example}\``,
    operations === null ? 'all' : operations.map((each) => `\`${each}\``).join(', '),
  ])
  return markdownTable([['Word', 'Description', 'Example', 'Operations'], ...rows])
}

export const factsTable = (): string =>
  markdownTable([
    ['Fact', 'Description'],
    ...Object.entries(facts).map(([name, { description }]) => [`\`${name}\``, description]),
  ])

export function testsTable(): string {
  const rows = Object.entries(testWords).map(([name, { description }]) => [`\`${name}\``, description])
  return markdownTable([
    ['Test', 'Description'],
    ...rows,
    ['`not`', 'The opposite of a value, a list or a map of the tests above.'],
  ])
}

/** Numbers by country; an ending means the same in each. */
export function blocksTable(): string {
  const rows = magicNumbers('002').map(({ country, local, number }) => [
    country,
    `\`${local}\``,
    `\`+${number}\``,
  ])
  return markdownTable([['Country', 'Ending 002, as dialled', 'International'], ...rows])
}

export function magicTable(scenarios: readonly Scenario[]): string {
  const rows = scenarios
    .filter(({ magic }) => magic !== null)
    .toSorted((a, b) => a.magic!.localeCompare(b.magic!))
    .map(({ name, title, magic }) => [
      `\`${magic}\``,
      `\`${magicNumbers(magic!)[0]!.local}\``,
      `\`${name}\``,
      title,
    ])
  return markdownTable([['Ending', 'In Kenya', 'Scenario', 'What happens'], ...rows])
}

/** Lists every scenario with its trigger and effect. */
export function scenarioTable(scenarios: readonly Scenario[]): string {
  const rows = scenarios.map((scenario) => [
    `\`${scenario.name}\``,
    scenario.title,
    scenario.magic === null ? 'by name' : `number ending in \`${scenario.magic}\`, or by name`,
    operationsOf(scenario),
    seen(scenario),
  ])
  return markdownTable([['Scenario', 'What happens', 'Trigger', 'Operations', 'Effect'], ...rows])
}

const MOST_NAMED = 3

function operationsOf({ operations }: Scenario): string {
  const names = [...operations]
  return names.length > MOST_NAMED ? 'all applicable' : names.map((name) => `\`${name}\``).join(', ')
}

function seen({ script }: Scenario): string {
  const words = (outcome: Outcome) => describeOutcome(outcome) || 'nothing special'
  if (script.kind === 'then') return words(script.outcome)
  if (script.kind === 'choices')
    return script.choices.map(({ weight, outcome }) => `${weight}: ${words(outcome)}`).join('; ')
  return script.steps.map(({ times, outcome }) => `${times}×: ${words(outcome)}`).join('; ')
}
