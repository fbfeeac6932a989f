import { acceptedBy } from './schemas.ts'
import type { Setting } from './setting.ts'
import { settings } from './settings.ts'
import { markdownTable } from '../lib/text/markdown-table.ts'

const begin = '<!-- settings: written by npm run generate -->'
const end = '<!-- /settings -->'

/** Returns the settings as a Markdown table. */
export function settingsTable(): string {
  const rows = Object.values<Setting>(settings).map((setting) => [
    code(setting.variable),
    linked(setting.about) + (setting.general ? ` By default \`${setting.general.variable}\`.` : ''),
    acceptedBy(setting.schema()),
    defaultOf(setting),
  ])
  return markdownTable([['Variable', 'What it is', 'Accepted', 'Default'], ...rows])
}

const defaultOf = ({ fallback, hosted }: Setting) =>
  (fallback === null ? 'none' : code(fallback)) +
  (hosted && hosted !== fallback ? `; hosted ${code(hosted)}` : '')

/** Replaces the table between the markers of a page. @throws Error if a marker is missing */
export function withSettingsTable(page: string): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`The page needs the lines ${begin} and ${end}, in this order`)
  return `${page.slice(0, from + begin.length)}\n\n${settingsTable()}\n\n${page.slice(to)}`
}

/** Turns the paths of guides, which the command-line help shows, into links. */
const linked = (about: string) => about.replace(/docs\/([\w-]+)\.md/g, '[$1]($1.md)')

const code = (text: string) => `\`${text}\``
