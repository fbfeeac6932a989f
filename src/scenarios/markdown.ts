import { describeOutcome } from './describe.ts'
import { facts } from './facts.ts'
import { magicNumbers } from './magic.ts'
import { testWords } from './predicates.ts'
import { thenWords } from './then/table.ts'
import type { Word } from './then/word.ts'
import type { Outcome } from '../service/vocabulary/outcome.ts'
import type { Scenario } from './scenario.ts'
import { markdownTable } from '../lib/text/markdown-table.ts'

/** `page` with a table between the two markers of its name. @throws when the page does not have both, in order */
export function withTable(page: string, name: string, table: string): string {
  const begin = `<!-- ${name}: written by npm run generate -->`
  const end = `<!-- /${name} -->`
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`The page needs the lines ${begin} and ${end}, in this order`)
  return `${page.slice(0, from + begin.length)}\n\n${table}\n\n${page.slice(to)}`
}

/** The words of `then` with an example and their operations. */
export function wordsTable(): string {
  const rows = Object.entries<Word>(thenWords).map(([name, { description, example, operations }]) => [
    `\`${name}\``,
    description,
    `\`${example}\``,
    operations === null ? 'all' : operations.map((each) => `\`${each}\``).join(', '),
  ])
  return markdownTable([['Word', 'What it says', 'Such as', 'Operations'], ...rows])
}

/** The facts of `when`. */
export const factsTable = (): string =>
  markdownTable([
    ['Fact', 'What it is'],
    ...Object.entries(facts).map(([name, { description }]) => [`\`${name}\``, description]),
  ])

/** The tests of `when`. */
export function testsTable(): string {
  const rows = Object.entries(testWords).map(([name, { description }]) => [`\`${name}\``, description])
  return markdownTable([
    ['Test', 'What it asks'],
    ...rows,
    ['`not`', 'The opposite of a value, a list or a map of the tests above.'],
  ])
}

/** The numbers by country: the same ending means the same everywhere. */
export function blocksTable(): string {
  const rows = magicNumbers('002').map(({ country, local, number }) => [
    country,
    `\`${local}\``,
    `\`+${number}\``,
  ])
  return markdownTable([['Country', 'Ending 002, as dialled', 'International'], ...rows])
}

/** Scenario, ending and title of magic numbers. */
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

/** Every scenario with its trigger and effect. */
export function scenarioTable(scenarios: readonly Scenario[]): string {
  const rows = scenarios.map((scenario) => [
    `\`${scenario.name}\``,
    scenario.title,
    scenario.magic === null ? 'by name' : `number ending in \`${scenario.magic}\`, or by name`,
    operationsOf(scenario),
    seen(scenario),
  ])
  return markdownTable([['Scenario', 'What happens', 'Trigger', 'Operations', 'What is seen'], ...rows])
}

const MOST_NAMED = 3

function operationsOf({ operations }: Scenario): string {
  const names = [...operations]
  return names.length > MOST_NAMED ? 'all it fits' : names.map((name) => `\`${name}\``).join(', ')
}

function seen({ script }: Scenario): string {
  const words = (outcome: Outcome) => describeOutcome(outcome) || 'nothing special'
  if (script.kind === 'then') return words(script.outcome)
  if (script.kind === 'choices')
    return script.choices.map(({ weight, outcome }) => `${weight}: ${words(outcome)}`).join('; ')
  return script.steps.map(({ times, outcome }) => `${times}×: ${words(outcome)}`).join('; ')
}
