import { readFile, writeFile } from 'node:fs/promises'
import { byLine } from './source-lines.ts'

/** Removes the columns from the source maps among `files`. */
export async function shortenMaps(files: readonly string[]): Promise<void> {
  const maps = files.filter((file) => file.endsWith('.cjs.map'))
  await Promise.all(
    maps.map(async (file) => {
      const { mappings, ...map } = JSON.parse(await readFile(file, 'utf8'))
      await writeFile(file, JSON.stringify({ ...map, names: [], mappings: byLine(mappings) }))
    }),
  )
}
