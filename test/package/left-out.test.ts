import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { leftOut } from '../../build/left-out.ts'

describe('the bundle', () => {
  it('contains only the English messages of zod, and no YAML parser for mounted sandboxes', async () => {
    const { metafile } = await build({
      entryPoints: ['src/cli/main.ts', 'src/http/openapi-app.ts'],
      outdir: 'never-written',
      write: false,
      metafile: true,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      plugins: [leftOut],
    })
    const bundled = (name: RegExp) =>
      Object.values(metafile.outputs).flatMap(({ inputs }) =>
        Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
          bytesInOutput > 0 && name.test(path) ? [path.replace(/^.*node_modules\//, '')] : [],
        ),
      )
    expect(bundled(/zod\/v4\/locales\//)).toEqual(['zod/v4/locales/en.js'])
    const mounting = Object.values(metafile.outputs).find(
      ({ entryPoint }) => entryPoint === 'src/http/openapi-app.ts',
    )
    const loaded = mounting!.imports.filter(({ kind }) => kind === 'import-statement')
    expect(
      loaded.flatMap(({ path }) => Object.keys(metafile.outputs[path]?.inputs ?? {})),
    ).not.toContainEqual(expect.stringMatching(/node_modules\/yaml\//))
  })
})
