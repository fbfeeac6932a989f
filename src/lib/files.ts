import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { lazy } from './lazy.ts'

export type Described = 'service' | 'control' | 'extensions'

/** `src/` or, in the package, `dist/` next to it: no bundled module is nested deeper. */
const base = new URL(new URL(import.meta.url).pathname.endsWith('.ts') ? '../' : './', import.meta.url)

/** Files that the sandbox reads at run time, for source and package alike: the build copies generated files. */
export const files = {
  description: (api: Described, form: 'json') => new URL(`./generated/${api}/openapi.${form}`, base),
  /** The folder of the shipped scenarios. */
  scenarios: new URL('../scenarios/', base),
  /** The folder of the shipped incidents. */
  incidents: new URL('../incidents/', base),
  /** The folder of the schemas of overlays and comparisons. */
  fidelity: new URL('../fidelity/', base),
  /** The folder of the shipped plans of certification. */
  plans: new URL('../certify/plans/', base),
  /** The folder of the guides. */
  guides: new URL('../docs/', base),
  /** The folder of the files that `init` writes. */
  initTemplates: new URL('../templates/init/', base),
  /** The skill for agents. */
  skill: new URL('../skills/payments-sandbox/SKILL.md', base),
  /** The built dashboard, created by `npm start` or `npm run build`. */
  dashboard: new URL('../dist/dashboard/', base),
  /** The built element for other sites, created along with the dashboard. */
  embed: new URL('../dist/embed/', base),
  /** Styles and scripts of the pages. */
  browser: new URL('../browser/', base),
  /** The migrations of the PostgreSQL engine. */
  migrations: new URL('./storage/engine/postgres/migrations/', base),
  packageJson: new URL('../package.json', base),
  /** The documentation viewer's bundle, downloaded by `npm run viewer`. */
  viewer: new URL('../viewer/assets/scalar.js', base),
  /** The same bundle, compressed for the package. */
  viewerBrotli: new URL('../dist/viewer/scalar.js.br', base),
}

export const packageVersion = lazy(
  () => (JSON.parse(readFileSync(files.packageJson, 'utf8')) as { version: string }).version,
)

/** Returns a style sheet or script of `browser/`. */
export const browserFile = (name: string): string => readFileSync(new URL(name, files.browser), 'utf8')

/** Reads a description as JSON, which the package contains compressed. */
export async function descriptionJson(api: Described): Promise<string> {
  const file = files.description(api, 'json')
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const [bytes, { brotliDecompress }] = await Promise.all([
      readFile(new URL(`${file}.br`)),
      import('node:zlib'),
    ])
    return String(await promisify(brotliDecompress)(bytes))
  }
}

/** Reads a description as JSON, or converts it to YAML. */
export async function descriptionText(api: Described, form: 'json' | 'yaml'): Promise<string> {
  const json = await descriptionJson(api)
  if (form === 'json') return json
  const { yamlOf } = await import('./text/yaml-text.ts')
  return yamlOf(JSON.parse(json))
}
