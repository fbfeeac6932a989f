/** Makes modules and maps smaller where nobody reads what goes. */
import { readFile, writeFile } from 'node:fs/promises'
import { transform, type BuildOptions, type Metafile, type TransformOptions } from 'esbuild'
import { byLine } from './source-lines.ts'

/**
 * Gives names of one letter to what packages call their own: a trace is read for lines that were written here. Modules that have some of
 * both keep all names.
 * @param form how modules are to look
 */
export async function shortenPackages(
  { outputs }: Metafile,
  { target, legalComments, lineLimit }: BuildOptions,
): Promise<void> {
  const form = { target, legalComments, lineLimit, minify: true, format: 'esm' } as TransformOptions
  const ofPackages = Object.entries(outputs).filter(
    ([file, output]) => file.endsWith('.js') && isForeign(output),
  )
  await Promise.all(
    ofPackages.map(async ([file]) => {
      const text = await readFile(file, 'utf8')
      const [, map] = /\n(\/\/# sourceMappingURL=.*)\s*$/.exec(text) ?? []
      const { code } = await transform(text, form)
      await writeFile(file, map ? `${code}${map}\n` : code)
    }),
  )
}

/** Has source maps tell lines and leave out columns. */
export async function shortenMaps({ outputs }: Metafile): Promise<void> {
  const maps = Object.keys(outputs).filter((file) => file.endsWith('.map'))
  await Promise.all(
    maps.map(async (file) => {
      const { mappings, ...map } = JSON.parse(await readFile(file, 'utf8'))
      await writeFile(file, JSON.stringify({ ...map, names: [], mappings: byLine(mappings) }))
    }),
  )
}

/** Hardly a line is of this project. */
function isForeign({ inputs, bytes }: Metafile['outputs'][string]): boolean {
  const own = Object.entries(inputs).filter(([path]) => !path.includes('node_modules/'))
  return own.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0) < bytes / 100 && bytes > 2_000
}
