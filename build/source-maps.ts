import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/** An empty source map, used in place of the generated one. */
const NOTHING = Buffer.from('{"version":3,"sources":[""],"mappings":"AAAA"}').toString('base64')

/** Leaves packages and generated modules out of the source maps. */
export const ownSourcesOnly: Plugin = {
  name: 'own-sources-only',
  setup({ onLoad }) {
    onLoad({ filter: /(node_modules|src[/\\]generated)[/\\].*\.[cm]?[jt]s$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${NOTHING}`,
      loader: path.endsWith('ts') ? 'ts' : 'js',
    }))
  },
}
