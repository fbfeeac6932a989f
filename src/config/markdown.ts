import { acceptedBy } from './schemas.ts'
import type { Setting } from './setting.ts'
import { settings } from './settings.ts'
import { markdownTable } from '../lib/text/markdown-table.ts'

const begin = '<!-- settings: written by npm run generate -->'
const end = '<!-- /settings -->'

/** The settings as a Markdown table, one row each, for people who set them. */
export function settingsTable(): string {
  const rows = Object.values<Setting>(settings).map((setting) => [
    code(setting.variable),
    linked(setting.about) + (setting.general ? ` Without it \`${setting.general.variable}\` says so.` : ''),
    acceptedBy(setting.schema()),
    defaultOf(setting),
  ])
  return markdownTable([['Variable', 'What it is', 'Accepted', 'Default'], ...rows])
}

const defaultOf = ({ fallback, hosted }: Setting) =>
  (fallback === null ? 'none' : code(fallback)) +
  (hosted && hosted !== fallback ? `; hosted ${code(hosted)}` : '')

/**
 * `page` with the settings table between its two markers, whatever stood there before. Throws when the page
 * does not have both, in order.
 */
export function withSettingsTable(page: string): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`The page needs the lines ${begin} and ${end}, in this order`)
  return `${page.slice(0, from + begin.length)}\n\n${settingsTable()}\n\n${page.slice(to)}`
}

/** The help of the command line has paths; on a page beside the guides they lead there. */
const linked = (about: string) => about.replace(/docs\/([\w-]+)\.md/g, '[$1]($1.md)')

const code = (text: string) => `\`${text}\``
