import { writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { leftOut } from '../../build/left-out.ts'
import { byLine } from '../../build/source-lines.ts'
import { loadPeople, makeName } from '../../src/lib/random/people.ts'
import { temporaryFolder } from '../support/folder.ts'

/** A module of src as it is in the package. */
async function bundled(file: string) {
  const { outputFiles } = await build({
    entryPoints: [file],
    outdir: 'never-written',
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: 'external',
    lineLimit: 160,
    plugins: [leftOut],
  })
  const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))!.text
  return { code: textOf('.js'), map: JSON.parse(textOf('.map')) }
}

describe('what the package leaves out', () => {
  it('does not change randomly generated names', async () => {
    const { code } = await bundled('src/lib/random/people.ts')
    const file = join(temporaryFolder(), 'people.mjs')
    writeFileSync(file, code)
    const { makeName: makeBundled, loadPeople: loadBundled } = (await import(
      pathToFileURL(file).href
    )) as typeof import('../../src/lib/random/people.ts')
    const fractions = Array.from({ length: 200 }, (_, n) => n / 200)
    const countries = ['NG', 'GH', 'KE']
    const [people, bundledPeople] = await Promise.all([loadPeople(countries), loadBundled(countries)])
    for (const fraction of fractions) {
      expect(await makeBundled(fraction)).toEqual(await makeName(fraction))
      for (const country of countries)
        expect(bundledPeople.name(country, fraction)).toEqual(people.name(country, fraction))
    }
    expect(code).not.toContain('Aegean Airlines')
  })

  it('drops columns of source maps and keeps lines', async () => {
    const { code, map } = await bundled('src/lib/random/people.ts')
    const short = { ...map, mappings: byLine(map.mappings) }
    expect(short.mappings.length).toBeLessThan(map.mappings.length * 0.75)
    const [before, after] = [new SourceMap(map), new SourceMap(short)]
    let places = 0
    const moved: string[] = []
    for (const [line, text] of code.split('\n').entries())
      for (let column = 0; column < text.length; column += 1) {
        const place = before.findEntry(line, column)
        if (!('originalLine' in place)) continue
        const found = after.findEntry(line, column)
        if (!('originalLine' in found)) throw new Error(`no source of ${line}:${column}`)
        places += 1
        if (found.originalLine !== place.originalLine || found.originalSource !== place.originalSource)
          moved.push(`${line}:${column} is of line ${found.originalLine}, not ${place.originalLine}`)
      }
    expect(moved).toEqual([])
    expect(places).toBeGreaterThan(10_000)
  })
})
