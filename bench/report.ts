import { cpus, totalmem } from 'node:os'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatted } from '../openapi/formatted.ts'
import { root } from './settings.ts'

export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Left out of docs/performance.md. */
  readonly terminalOnly?: boolean
}

/** The results of one part of the benchmark. */
export interface Section {
  readonly title: (typeof titles)[number]
  /** A paragraph about the method. */
  readonly about: string
  readonly tables: readonly Table[]
  /** Each goal with its result. */
  readonly verdicts: readonly string[]
}

export const text = (value: number, decimals = 0) =>
  Number.isFinite(value)
    ? value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    : '–'

export const verdict = (what: string, value: number, goal: number, atLeast: boolean, decimals = 2) =>
  `${(atLeast ? value >= goal : value <= goal) ? 'Met' : 'Missed'}: ${what} is ${text(value, decimals)}; the goal is ${
    atLeast ? 'at least' : 'at most'
  } ${text(goal, decimals)}.`

/** Returns a table with aligned columns for the terminal. */
export function printed({ columns, rows }: Table): string {
  const widths = columns.map((column, i) => Math.max(column.length, ...rows.map((row) => row[i]!.length)))
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')
  return [line(columns), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}

function markdown({ title, about, tables, verdicts }: Section): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const lines = tables
    .filter(({ terminalOnly }) => !terminalOnly)
    .map(({ columns, rows }) =>
      [row(columns), row(columns.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows.map(row)].join('\n'),
    )
  return [`## ${title}`, about, ...lines, verdicts.map((each) => `- ${each}`).join('\n')]
    .filter(Boolean)
    .join('\n\n')
}

export const machine = () =>
  `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}, Node.js ${process.version}`

const titles = [
  'Start to first 200',
  'Requests',
  'Where the time of a request goes',
  'Growth',
  'Retention',
  'Deciding',
  'Callbacks',
  'Worlds',
  'Neighbours',
  'Memory',
  'Cluster',
] as const
const page = join(root, 'docs/performance.md')

/** Writes docs/performance.md: these sections, the other sections of earlier runs, and bench/notes.md at the end. */
export async function writeReport(sections: readonly Section[]): Promise<void> {
  const before = existsSync(page) ? readFileSync(page, 'utf8').split(/^(?=## )/m) : []
  const sectionOf = (title: string) => {
    const measured = sections.find((each) => each.title === title)
    return measured ? markdown(measured) : before.find((text) => text.startsWith(`## ${title}\n`))
  }
  const parts = [
    '# Performance',
    '<!-- Written by `npm run bench`; the notes at the end come from bench/notes.md. -->',
    `Measured on: ${machine()}. Servers and the load tool share the machine, so compare ratios rather than absolute figures.`,
    'Run `npm run bench` to measure again (about half an hour; `-- --quick` for an estimate, `-- rate` for one part: `start`, ' +
      '`rate`, `waterfall`, `growth`, `retention`, `decide`, `callbacks`, `worlds`, `neighbours`, `memory`, `cluster`); it updates this page. The ' +
      'load tool is autocannon with 32 connections; values are medians of several rounds.',
    ...titles.map(sectionOf).filter((text) => text !== undefined),
    readFileSync(join(root, 'bench/notes.md'), 'utf8'),
  ]
  writeFileSync(page, await formatted('performance.md', parts.join('\n\n')))
}
