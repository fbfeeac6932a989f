import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/** A map that says nothing, to stand in for the one that would be made. */
const NOTHING = Buffer.from('{"version":3,"sources":[""],"mappings":"AAAA"}').toString('base64')

/** Leaves packages and generated modules out of the source maps: whoever looks for a line looks for one that was written here. */
export const ownSourcesOnly: Plugin = {
  name: 'own-sources-only',
  setup({ onLoad }) {
    onLoad({ filter: /(node_modules|src[/\\]generated)[/\\].*\.[cm]?[jt]s$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${NOTHING}`,
      loader: path.endsWith('ts') ? 'ts' : 'js',
    }))
  },
}
