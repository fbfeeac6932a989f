import { markdownTable } from '../lib/text/markdown-table.ts'
import { checkIds, checkOf } from './checks.ts'

/** The table of checks in `docs/certification.md`. */
export const checksTable = (): string =>
  markdownTable([
    ['Check', 'Level', 'What a shop does that passes', 'What has to be seen', 'How'],
    ...checkIds
      .map(checkOf)
      .map(({ id, level, title, expected, how, probe }) => [
        `\`${id}\``,
        level === 'mandatory' ? 'M' : 'R',
        title,
        expected,
        `${how === 'record' ? 'record' : 'made'}${probe ? ', probe' : ''}`,
      ]),
  ])
