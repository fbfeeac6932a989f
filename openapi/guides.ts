/** The generated tables of the guides in docs/, by page and marker. */
import { readFile } from 'node:fs/promises'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { checkOf } from '../src/certify/checks.ts'
import { checkIds } from '../src/certify/check-ids.ts'
import { jsonOption, urlOption, userOption } from '../src/cli/options.ts'
import { commandTable, loadCommand } from '../src/cli/program.ts'
import { callbackSettings, mailSettings } from '../src/config/callback-settings.ts'
import * as read from '../src/config/readers.ts'
import { serverSettings, budgetSettings, storageSettings } from '../src/config/settings.ts'
import type { Setting } from '../src/config/setting.ts'
import { signUpSettings } from '../src/config/sign-up-settings.ts'
import { worldSettings } from '../src/config/world-settings.ts'
import { byteForms } from '../src/lib/text/bytes.ts'
import { durationForms, durationsWithin } from '../src/lib/text/duration.ts'
import { describeOutcome } from '../src/scenarios/decide.ts'
import { facts } from '../src/scenarios/when/facts.ts'
import { testNumbers } from '../src/service/domain/countries/countries.ts'
import { testWords } from '../src/scenarios/when/predicates.ts'
import type { Scenario } from '../src/scenarios/scenario.ts'
import { thenWords } from '../src/scenarios/then/table.ts'
import type { Word } from '../src/scenarios/then/word.ts'
import { type ErrorCode, errorStatus } from '../src/service/domain/errors.ts'
import type { Outcome } from '../src/service/vocabulary/outcome.ts'
import { reasons, type ResultFacts } from '../src/service/vocabulary/rails.ts'
import { budgetItems } from '../src/worlds/limits.ts'
import { profilesMarkdown, verdictsMarkdown } from '../test/callbacks/signatures/documentation.ts'
import { type OpenApiDocument, operationsOf, type Route } from './document.ts'
import { formatted } from './formatted.ts'
import { monitoringRows } from './monitoring.ts'
import { rolesOf } from './roles.ts'

type Sources = {
  readonly service: OpenApiDocument
  readonly control: OpenApiDocument
  readonly extensions: OpenApiDocument
  readonly scenarios: readonly Scenario[]
}

/** Returns the pages with generated parts, formatted. */
export async function guidePages(sources: Sources): Promise<ReadonlyMap<string, string>> {
  const { service, control, extensions, scenarios } = sources
  const parts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'docs/settings.md': { settings: settingsTables() },
    'docs/outcomes.md': {
      numbers: numbersTable(),
      outcomes: outcomeTables(scenarios),
      reasons: reasonsTable(),
    },
    'docs/scenario-files.md': { facts: factsTable(), tests: testsTable(), words: wordsTable() },
    'docs/control-api.md': { service: operationsTable(service), control: operationsByTag(control) },
    'docs/previous-generation.md': { operations: operationsTable(extensions) },
    'docs/command-line.md': { commands: await commandList() },
    'docs/signatures.md': { profiles: profilesMarkdown(), verdicts: await verdictsMarkdown() },
    'docs/errors.md': { codes: errorsTable() },
    'docs/limits.md': { budget: budgetTable() },
    'docs/certification.md': { checks: checksTable() },
    'docs/several-processes.md': {
      alerts: table(['Alert', 'Metric', 'Cause, and what to do'], monitoringRows()),
    },
  }
  const pages = new Map<string, string>()
  for (const [path, tables] of Object.entries(parts)) {
    let page = await readFile(path, 'utf8')
    for (const [name, table] of Object.entries(tables)) page = withPart(page, name, table)
    pages.set(path, await formatted(path, page))
  }
  return pages
}

/** Returns the page with `part` between the markers of `name`. @throws {Error} If a marker is missing. */
export function withPart(page: string, name: string, part: string): string {
  const begin = `<!-- ${name}: written by npm run generate -->`
  const end = `<!-- /${name} -->`
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`The page needs the lines ${begin} and ${end}, in this order`)
  return `${page.slice(0, from + begin.length)}\n\n${part}\n\n${page.slice(to)}`
}

type Row = readonly string[]

/** A Markdown table; `formatted` aligns its columns. */
function table(head: Row, rows: readonly Row[]): string {
  const line = (row: Row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [head, head.map(() => '---'), ...rows].map(line).join('\n')
}

const code = (text: string | number) => `\`${text}\``
const codes = (texts: Iterable<string>) => [...texts].map(code).join(', ')

const settingGroups: Readonly<Record<string, Readonly<Record<string, Setting>>>> = {
  Server: serverSettings,
  'Worlds and payments': worldSettings,
  Callbacks: callbackSettings,
  Storage: storageSettings,
  'Budget of a world': budgetSettings,
  'Sign-up': signUpSettings,
  'E-mail': mailSettings,
}

/** Every setting, in one table per group. */
export const settingsTables = (): string =>
  Object.entries(settingGroups)
    .map(([title, group]) => `## ${title}\n\n${table(SETTING_HEAD, Object.values(group).map(settingRow))}`)
    .join('\n\n')

const SETTING_HEAD = ['Setting', 'Description', 'Values', 'Default']

/** Forms that the top of the page explains once. */
const forms = new Map([
  [durationsWithin(), 'duration'],
  [durationForms, 'duration'],
  [byteForms, 'size'],
  ['; none for no limit', ', `none`'],
  [', or none for no limit', ', `none`'],
  [read.onOrOff.accepts, '`on`, `off`'],
  [read.text.accepts, 'text'],
  ['a whole number from', 'number from'],
])

function settingRow({ variable, about, general, reads, fallback, hosted }: Setting): Row {
  let values = reads.accepts
  for (const [long, short] of forms) values = values.replace(long, short)
  const instead = general ? ` Falls back to \`${general.variable}\`.` : ''
  const inHosted = hosted && hosted !== fallback ? `; hosted: ${code(hosted)}` : ''
  // The help of the command line names files; the page links to them.
  const description = about.replace(/docs\/([\w-]+)\.md/g, '[$1]($1.md)') + instead
  return [code(variable), description, values, (fallback === undefined ? '–' : code(fallback)) + inHosted]
}

/** The blocks of test numbers by country, shown for one ending. */
const numbersTable = () =>
  table(
    ['Country', 'National', 'International'],
    testNumbers('002').map(({ country, local, number }) => [country, code(local), code(`+${number}`)]),
  )

const outcomeGroups = [
  'Pay-ins: mobile money',
  'Pay-ins: cards',
  'Payouts',
  'Any payment',
  'Any request',
  'KYC reviews',
] as const

/** The operations that move money. A scenario with more operations applies to any request. */
const MANY_OPERATIONS = 3

function outcomeGroupOf({ name, operations, conditions }: Scenario): (typeof outcomeGroups)[number] {
  if (operations.has('submitKyc') && operations.size <= MANY_OPERATIONS) return 'KYC reviews'
  if (operations.size > MANY_OPERATIONS) return 'Any request'
  if (name.startsWith('card-')) return 'Pay-ins: cards'
  const direction = conditions?.find(({ field }) => field === 'direction')
  if (!direction) return operations.has('createWithdrawal') ? 'Any payment' : 'Pay-ins: mobile money'
  if (direction.holds('payin') && direction.holds('payout')) return 'Any payment'
  return direction.holds('payout') ? 'Payouts' : 'Pay-ins: mobile money'
}

/** The shipped outcomes with their test numbers, in one table per group. */
function outcomeTables(scenarios: readonly Scenario[]): string {
  const shipped = scenarios.toSorted((a, b) => (a.ending ?? '~').localeCompare(b.ending ?? '~'))
  return outcomeGroups
    .map((group) => {
      const rows = shipped
        .filter((scenario) => outcomeGroupOf(scenario) === group)
        .map((each) => [code(each.name), each.ending ? code(each.ending) : '–', each.title, resultOf(each)])
      return `### ${group}\n\n${table(['Outcome', 'Number ends in', 'What happens', 'Result'], rows)}`
    })
    .join('\n\n')
}

function resultOf({ script }: Scenario): string {
  const words = (outcome: Outcome) => describeOutcome(outcome) || 'the usual result'
  if (script.kind === 'then') return words(script.outcome)
  if (script.kind === 'choices')
    return script.choices.map(({ weight, outcome }) => `${weight}: ${words(outcome)}`).join('; ')
  return script.steps.map(({ times, outcome }) => `${times}×: ${words(outcome)}`).join('; ')
}

const reasonsTable = () =>
  table(
    ['Reason', 'Code', 'Message', 'For'],
    Object.entries<ResultFacts & { readonly direction?: string }>(reasons).map(([name, facts]) => [
      code(name),
      String(facts.code),
      facts.text,
      facts.direction ?? 'both',
    ]),
  )

/** The words of `then` with an example. */
const wordsTable = () =>
  table(
    ['Word', 'Description', 'Example', 'Operations'],
    Object.entries<Word>(thenWords).map(([name, { description, example, operations }]) => [
      code(name),
      description,
      code(example),
      operationsInWords(operations),
    ]),
  )

function operationsInWords(operations: readonly string[] | null): string {
  if (operations === null) return 'all'
  return operations.includes('createWithdrawal') ? 'payments' : codes(operations)
}

const factsTable = () =>
  table(
    ['Fact', 'Description'],
    Object.entries(facts).map(([name, { description }]) => [code(name), description]),
  )

const testsTable = () =>
  table(
    ['Test', 'Description'],
    [
      ...Object.entries(testWords).map(([name, { description }]) => [code(name), description]),
      ['`not`', 'Negates a value, a list or a map of tests.'],
    ],
  )

const OPERATION_HEAD = ['Request', 'Description', 'Role']

/** Every operation of a description with the weakest role that may call it. */
const operationsTable = (document: OpenApiDocument) =>
  table(OPERATION_HEAD, operationsOf(document).map(operationRow))

function operationsByTag(document: OpenApiDocument): string {
  const routes = operationsOf(document)
  return (document.tags ?? [])
    .map(({ name }) => {
      const rows = routes.filter(({ operation }) => operation.tags?.includes(name)).map(operationRow)
      return `### ${name}\n\n${table(OPERATION_HEAD, rows)}`
    })
    .join('\n\n')
}

/** Roles that may call an operation are always the strongest ones, so the weakest of them names them all. */
function operationRow(route: Route): Row {
  const { method, path, operation } = route
  const weakest = rolesOf(route).at(-1)!
  return [
    code(`${method.toUpperCase()} ${path}`),
    operation.summary ?? '',
    weakest === 'none' ? 'any' : weakest,
  ]
}

const meanings: Readonly<Record<ErrorCode, string>> = {
  invalid_argument: 'The request is malformed, or a business rule forbids it. The message names each field.',
  unauthenticated: 'The credentials are missing or wrong.',
  permission_denied: 'The role of the API key does not allow the operation.',
  resource_not_found: 'The path or the resource does not exist, or belongs to another Team or world.',
  method_not_allowed: 'The path exists, but not with this method; `Allow` lists the methods.',
  payload_too_large: 'The body exceeds the limit of the operation.',
  resource_exhausted: 'A limit is used up. `Retry-After` is set if waiting helps.',
  internal: 'The sandbox failed, or an outcome simulates this.',
  bad_gateway: 'A provider failed (simulated).',
  unavailable: 'The sandbox cannot store changes, or an outcome simulates this.',
  deadline_exceeded: 'A wait ended before the condition was met. The body describes what did happen.',
}

const errorsTable = () =>
  table(
    ['Status', '`error_code`', 'Meaning'],
    Object.entries(errorStatus).map(([name, status]) => [
      String(status),
      code(name),
      meanings[name as ErrorCode],
    ]),
  )

const budgetTable = () =>
  table(
    ['Item', 'Unit', 'Setting', 'Local', 'Hosted'],
    Object.entries(budgetItems).map(([name, { unit, variable, fallback, hosted }]) => [
      code(name),
      unit,
      code(variable),
      code(fallback),
      code(hosted),
    ]),
  )

const checksTable = () =>
  table(
    ['Check', 'Level', 'The shop', 'How'],
    checkIds
      .map(checkOf)
      .map(({ id, level, title, mode, probe }) => [
        code(id),
        level === 'mandatory' ? 'M' : 'R',
        title,
        `${mode}${probe ? ', probe' : ''}`,
      ]),
  )

/** The commands are only declared, so nothing is read or written. */
const silent = { write: () => {}, terminal: false, colours: false }
const io = { env: {}, out: silent, err: silent, stopped: () => new Promise<string>(() => {}) }

/** Flags that the page explains once. */
const sharedFlags = new Set([urlOption(), userOption(), jsonOption()].map(({ description }) => description))

/** The first sentence of a help text; `--help` prints all of it. */
const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1).split(/\.(?= |$)/)[0]}.`

/** Every command with its arguments and flags; the flags of `start` are the settings. */
async function commandList(): Promise<string> {
  const sections: string[] = []
  for (const [name, [summary]] of Object.entries(commandTable)) {
    const command = (await loadCommand(name))(io, () => {})
    const about = sentence(command.description() || summary)
    const items = name === 'start' ? [] : commandItems(command, [], 0)
    sections.push(`### ${name}\n\n${[about, items.join('\n')].filter(Boolean).join('\n\n')}`)
  }
  return sections.join('\n\n')
}

/** The top of the settings page explains durations. */
const inShort = (text: string) => text.replace(`: ${durationForms}`, '')

/** The arguments and flags of a command, then its subcommands, as a nested list. */
function commandItems(
  command: CommandUnknownOpts,
  path: readonly string[],
  depth: number,
): readonly string[] {
  const item = (text: string) => `${'  '.repeat(depth)}- ${text}`
  const options = command.options
    .filter(({ description }) => !sharedFlags.has(description))
    .map(({ flags, description, defaultValue, defaultValueDescription }) => {
      const shown = defaultValueDescription ?? defaultValue
      return item(
        `\`${flags}\`: ${inShort(description)}${shown === undefined ? '' : ` (default: ${code(shown)})`}`,
      )
    })
  const positional = command.registeredArguments
    .filter(({ description }) => description && depth === 0)
    .map((argument) =>
      item(
        `\`${argument.required ? `<${argument.name()}>` : `[${argument.name()}]`}\`: ${argument.description}`,
      ),
    )
  const subcommands = command.commands.flatMap((each) => {
    const names = [each.name(), ...each.aliases()].map((word) => [...path, word].join(' '))
    const usage = each.registeredArguments.map((argument) =>
      argument.required ? ` <${argument.name()}>` : ` [${argument.name()}]`,
    )
    const line = item(
      `${names.map((word) => code(word + usage.join(''))).join(' or ')}: ${sentence(each.description())}`,
    )
    return [line, ...commandItems(each, [...path, each.name()], depth + 1)]
  })
  return [...positional, ...options, ...subcommands]
}
