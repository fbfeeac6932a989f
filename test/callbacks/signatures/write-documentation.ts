/** Writes the tables of docs/signatures.md: profiles and verifiers; part of `npm run generate`. */
import { readFile, writeFile } from 'node:fs/promises'
import { formatted } from '../../../openapi/formatted.ts'
import { profilesMarkdown, verdictsMarkdown } from './documentation.ts'

const file = 'docs/signatures.md'
const tables = { profiles: profilesMarkdown(), table: await verdictsMarkdown() }
let text = await readFile(file, 'utf8')
for (const [name, table] of Object.entries(tables)) {
  const between = new RegExp(`(<!-- ${name}:begin -->).*(<!-- ${name}:end -->)`, 's')
  if (!between.test(text)) throw new Error(`${file} has no <!-- ${name}:begin --> and <!-- ${name}:end -->`)
  text = text.replace(between, (_, begin: string, end: string) => `${begin}\n\n${table}\n\n${end}`)
}
await writeFile(file, await formatted(file, text))
