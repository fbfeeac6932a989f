import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** What has a description. */
export type Described = 'service' | 'control' | 'extensions'

/**
 * Where the files are that the sandbox reads besides its code. The same from source and from the package: `src/`
 * and `dist/` lie side by side, the build copies what is generated, and no bundled module lies deeper.
 */
export const files = {
  /** A description as it is served. */
  description: (api: Described, form: 'json') =>
    new URL(`./generated/${api}/openapi.${form}`, import.meta.url),
  /** The folder of the scenarios that come with the sandbox. */
  scenarios: new URL('../scenarios/', import.meta.url),
  /** The folder of the guides. */
  guides: new URL('../docs/', import.meta.url),
  /** What teaches an agent to integrate and to test. */
  skill: new URL('../skills/payments-sandbox/SKILL.md', import.meta.url),
  /** The folder of the built dashboard; there once `npm start` or `npm run build` has run. */
  dashboard: new URL('../dist/dashboard/', import.meta.url),
  /** The folder of the built element of other pages; there when the dashboard is. */
  embed: new URL('../dist/embed/', import.meta.url),
  /** Styles and scripts of the pages. */
  browser: new URL('../browser/', import.meta.url),
  /** The folder of what PostgreSQL is told before worlds are kept in it. */
  migrations: new URL('./storage/engine/postgres/migrations/', import.meta.url),
  packageJson: new URL('../package.json', import.meta.url),
  /** The documentation viewer's one file; there once `npm run viewer` has run. */
  viewer: new URL('../viewer/assets/scalar.js', import.meta.url),
  /** The same file as the package has it, compressed: a tenth of the package less. */
  viewerBrotli: new URL('../dist/viewer/scalar.js.br', import.meta.url),
}

/** The version that the package says it has. */
export const packageVersion = (): string =>
  (JSON.parse(readFileSync(files.packageJson, 'utf8')) as { version: string }).version

/** Returns a style sheet or script of `browser/`. */
export const browserFile = (name: string): string => readFileSync(new URL(name, files.browser), 'utf8')

/** A description as it is served, as JSON. The package has it compressed. */
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

/** A description as it is served. The package has it as JSON alone; the same as YAML is made of that when somebody asks. */
export async function descriptionText(api: Described, form: 'json' | 'yaml'): Promise<string> {
  const json = await descriptionJson(api)
  if (form === 'json') return json
  const { yamlOf } = await import('./lib/text/yaml-text.ts')
  return yamlOf(JSON.parse(json))
}
