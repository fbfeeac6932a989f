/**
 * `npm run generate`: lints and bundles each description and writes what is made of it, and the README's table of
 * settings. With `--check` nothing is
 * written, and the run fails when anything would be.
 */
import { readFile } from 'node:fs/promises'
import { withSettingsTable } from '../src/config/markdown.ts'
import { readDescription } from './read-description.ts'
import { renderDescription } from './render.ts'
import { writeFiles } from './write-files.ts'

const descriptions = [
  { source: 'openapi/openapi.yaml', folder: 'src/generated/service' },
  { source: 'openapi/control.yaml', folder: 'src/generated/control' },
]

async function generate(check: boolean): Promise<void> {
  const changed: string[] = []
  for (const { source, folder } of descriptions) {
    const files = await renderDescription(await readDescription(source), folder)
    changed.push(...(await writeFiles(folder, files, { check })))
  }
  const readme = withSettingsTable(await readFile('README.md', 'utf8'))
  changed.push(...(await writeFiles('.', new Map([['README.md', readme]]), { check })))
  for (const path of changed) console.log(`${check ? 'would change' : 'wrote'} ${path}`)
  if (!changed.length) console.log('nothing changed')
  else if (check) throw new Error('generated files are not up to date: run npm run generate')
}

try {
  await generate(process.argv.includes('--check'))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
