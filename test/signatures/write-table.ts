/** Writes the table of verifiers into docs/signatures.md; part of `npm run generate`. */
import { readFile, writeFile } from 'node:fs/promises'
import { format, resolveConfig } from 'prettier'
import { tableMarkdown } from './table.ts'

const file = 'docs/signatures.md'
const text = await readFile(file, 'utf8')
const between = /(<!-- table:begin -->).*(<!-- table:end -->)/s
if (!between.test(text)) throw new Error(`${file} has no <!-- table:begin --> and <!-- table:end -->`)
const table = await tableMarkdown()
const written = text.replace(between, (_, begin: string, end: string) => `${begin}\n\n${table}\n\n${end}`)
const options = { ...(await resolveConfig(file)), filepath: file }
await writeFile(file, await format(written, options))
