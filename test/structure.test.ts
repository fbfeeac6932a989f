import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { trackedIn } from './support/tracked.ts'

const root = fileURLToPath(new URL('../src/', import.meta.url))
const files = trackedIn('src').filter((path) => path.endsWith('.ts'))
const code = (file: string) => withoutComments(readFileSync(root + file, 'utf8'))

const below = {
  rules: ['worlds', 'scenarios', 'service/domain', 'service/vocabulary', 'generated', 'storage/store', 'lib'],
  wire: ['http', 'service/operations', 'control', 'pages'],
}

/**
 * What each place of src may import besides itself. A place is a folder or a file without `.ts`; the longest that fits a file is its
 * own. This is the only table of its kind: imports run one way, from the process down to rows and plain values.
 */
const mayImport: Record<string, readonly string[]> = {
  index: [
    'sandbox',
    'config',
    'client',
    'traffic/run',
    'callbacks/receivers',
    'worlds',
    'http/sandbox-app',
    'service/vocabulary',
    'lib',
  ],
  // Callers pass in `createSandbox`, so that the control API can judge a record. The report looks as all pages do.
  certify: [
    'pages/tokens',
    'client',
    'callbacks/signatures/report-key',
    'callbacks/receivers',
    'generated',
    'service/vocabulary',
    'lib',
  ],
  // The entry of the package passes `createSandbox` to a run.
  'certify/library': ['index'],
  // What it may use of the sandbox are types; it talks to any sandbox.
  client: ['traffic/world', 'traffic/result', 'generated', 'lib/text', 'lib/clock'],
  // Fixtures of test runners start a sandbox.
  'client/fixtures': ['index', 'client'],
  // Plays against any sandbox through its client; plans name incidents and scenarios.
  traffic: ['client', 'scenarios', 'generated', 'pages/tokens', 'lib'],
  // Records a service, replays the recording in a sandbox of its own, and compares.
  fidelity: [
    'config',
    'callbacks',
    'pages/provenance',
    'pages/viewer/description',
    'pages/tokens',
    ...below.rules,
  ],
  'fidelity/library': ['sandbox'],
  // Tools stand on what any integration has.
  mcp: ['client', 'lib'],
  cli: [
    'sandbox',
    'config',
    'client',
    'certify',
    'fidelity',
    'traffic',
    'index',
    'mcp',
    'callbacks',
    ...below.rules,
  ],
  sandbox: [
    'certify/plans',
    'certify/checked-file',
    'fidelity/overlay',
    'callbacks',
    'storage/engine',
    'config',
    'scheduler',
    ...below.wire,
    ...below.rules,
  ],
  // Limits of callers are counted over all who share the engine.
  http: [
    'storage/engine/audit',
    'storage/engine/shared-state',
    'storage/engine/memory/shared-state',
    ...below.wire,
    ...below.rules,
  ],
  'service/operations': [...below.wire, ...below.rules],
  // Loaded at the first request that needs it.
  control: ['certify', 'fidelity', 'storage/engine', 'scheduler', 'callbacks', ...below.wire, ...below.rules],
  pages: ['mcp', 'certify/reports/formats', 'callbacks/signatures/report-key', ...below.wire, ...below.rules],
  scheduler: ['callbacks', 'storage/engine', ...below.rules],
  // Requests on record say how they were decided.
  'storage/engine': [
    'storage/store',
    'service/domain/context',
    'service/domain/facts',
    'service/vocabulary',
    'scenarios/explain',
    'lib',
  ],
  'callbacks/receivers': ['lib'],
  callbacks: [
    'callbacks/receivers',
    'callbacks/signatures',
    'worlds',
    'service/domain',
    'service/vocabulary',
    'generated',
    'storage/store',
    'lib',
  ],
  'callbacks/signatures': ['service/domain/context', 'generated', 'lib'],
  worlds: [
    'storage/engine',
    'service/domain',
    'service/vocabulary',
    'generated',
    'storage/store',
    'scenarios',
    'lib',
  ],
  scenarios: ['service/domain', 'service/vocabulary', 'generated', 'storage/store', 'lib'],
  'service/domain': ['service/vocabulary', 'generated', 'storage/store', 'lib'],
  'service/vocabulary': ['lib'],
  'storage/store': ['service/vocabulary', 'lib'],
  config: ['worlds/limits', 'service/vocabulary', 'lib'],
  generated: ['http/parameter-readers', 'lib'],
  lib: [],
}

/** Packages that only these places know. */
const onlyIn: Record<string, RegExp> = {
  'node-cron': /^scheduler\/recurring\.ts$/,
  '@modelcontextprotocol/server': /^mcp\//,
  marked: /^pages\/guides\/(render|prose)\.ts$/,
  lowdb: /^storage\/store\//,
  pg: /^storage\/engine\/postgres\//,
  '@faker-js/faker': /^lib\/random\//,
  hono: /^(sandbox|http|service\/operations|control|pages|generated|certify\/reports)\//,
  '@hono/node-server': /^(sandbox|http)\//,
  '@hono/zod-openapi': /^(sandbox|http|service\/operations|control|pages|generated)\//,
}

/** Time, chance and the environment, and the places that make parameters of them. */
const parameters: readonly (readonly [pattern: RegExp, place: RegExp])[] = [
  [/\bnew Date\(\s*\)|(?<!new )\bDate\(|\bDate\.now\b/g, /^lib\/clock\//],
  // A socket has a method of that name.
  [
    /\bset(Timeout|Interval)\b|['"](node:)?timers/g,
    /^(lib\/clock\/|scheduler\/|callbacks\/receivers\/socket-pair\.ts$)/,
  ],
  [/\bMath\.random\b|\brandom(Bytes|UUID|Int)\b|\bgetRandomValues\b/g, /^lib\/random\//],
  [/\bprocess\.env\b/g, /^(cli\/main|config\/config)\.ts$/],
]

function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '')
}

/** The modules that a text imports or re-exports, types and `import()` included. */
function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!)
}

const places = Object.keys(mayImport).sort((one, other) => other.length - one.length)

/** `storage/store/rows.ts` -> `storage/store`, `index.ts` -> `index`. */
const placeOf = (file: string) =>
  places.find((place) => file.startsWith(`${place}/`) || file === `${place}.ts`)

/** The rows of a file: its folder's and, where one module may do more, its own. */
const rowsFor = (file: string) =>
  [places.find((place) => file.startsWith(`${place}/`)), file.replace(/\.ts$/, '')].filter(
    (row): row is string => row !== undefined && row in mayImport,
  )

/** What `file` imports against the table, as `file -> import`. */
function wrongWay(file: string, imports: readonly string[]): string[] {
  return imports.filter((specifier) => {
    if (!specifier.startsWith('.')) {
      const place = Object.entries(onlyIn).find(([name]) => `${specifier}/`.startsWith(`${name}/`))?.[1]
      return place !== undefined && !place.test(file)
    }
    const target = posix.join(posix.dirname(file), specifier).replace(/\.ts$/, '')
    const allowed = rowsFor(file).flatMap((row) => [row, ...mayImport[row]!])
    return !allowed.some((each) => `${target}/`.startsWith(`${each}/`))
  })
}

describe('the source', () => {
  it('has a place in the table of this test', () => {
    expect(files.filter((file) => placeOf(file) === undefined)).toEqual([])
  })

  it('imports only what the table allows', () => {
    const wrong = files.flatMap((file) =>
      wrongWay(file, importsOf(code(file))).map((specifier) => `${file} -> ${specifier}`),
    )
    expect(wrong).toEqual([])
  })

  it('takes time, chance and the environment as parameters', () => {
    const taken = files.flatMap((file) =>
      parameters
        .filter(([, place]) => !place.test(file))
        .flatMap(([pattern]) => code(file).match(pattern) ?? [])
        .map((found) => `${file}: ${found}`),
    )
    expect(taken).toEqual([])
  })
})

/** The files of `src` that `file` imports, types and `import()` included. */
const importedFilesOf = (file: string) =>
  importsOf(code(file))
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => posix.join(posix.dirname(file), specifier))

describe('imports', () => {
  it('form no circle, not even of types', () => {
    const imports = new Map(files.map((file) => [file, importedFilesOf(file)]))
    const reachesItself = (file: string) => {
      const reached = new Set<string>()
      const left = [...imports.get(file)!]
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        if (reached.has(next)) continue
        reached.add(next)
        left.push(...(imports.get(next) ?? []))
      }
      return reached.has(file)
    }
    expect(files.filter(reachesItself)).toEqual([])
  })
})

/** What running a module runs before it: what it imports other than types, and what that imports. */
function loadedBy(entry: string): ReadonlySet<string> {
  const loaded = new Set<string>()
  const left = [entry]
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (loaded.has(file)) continue
    loaded.add(file)
    if (!files.includes(file)) continue
    for (const specifier of loadingImportsOf(code(file)))
      left.push(specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier)
  }
  return loaded
}

const loadingImportsOf = (text: string) =>
  [...text.matchAll(/^(?:import|export)\b(?! type\b)[^']*?\bfrom '([^']+)'|^import '([^']+)'/gm)].map(
    ([, from, bare]) => from ?? bare!,
  )

const dashboardRoot = fileURLToPath(new URL('../dashboard/', import.meta.url))
const dashboardFiles = trackedIn('dashboard').filter((path) => /\.tsx?$/.test(path))

/** What each folder of the dashboard may import beside itself; of `src` only the client, and the types that it takes and gives. */
const dashboardMayImport: Record<string, readonly string[]> = {
  'main.tsx': ['app.tsx', 'parts', 'core'],
  'app.tsx': ['frame', 'pages.ts', 'parts', 'core'],
  frame: ['pages.ts', 'parts', 'core'],
  'pages.ts': ['pages', 'parts', 'core'],
  pages: ['parts', 'core'],
  parts: ['core'],
  core: [],
}

/** Modules of `src` whose types alone the dashboard imports. */
const dashboardTypes = ['../src/generated/control/types.ts']

/** Parts that the dashboard shares with the element for other sites. */
const sharedWithEmbed = ['../embed/parts/json.tsx']

/** Packages that one file of the dashboard alone may load, when it is shown. */
const dashboardAtNeed: Record<string, string> = { uqr: 'parts/real-phone.tsx' }

describe('the dashboard', () => {
  it('imports only what the table allows', () => {
    const wrong = dashboardFiles.flatMap((file) => {
      const text = withoutComments(readFileSync(dashboardRoot + file, 'utf8'))
      const place = file.split('/')[0]!
      return importsOf(text)
        .filter((specifier) => {
          if (dashboardAtNeed[specifier] === file) return false
          if (/^schema:\w+/.test(specifier)) return place === 'core'
          if (!specifier.startsWith('.')) return !/^(preact|@preact\/signals)(\/hooks)?$/.test(specifier)
          const target = posix.join(posix.dirname(file), specifier)
          if (target.startsWith('../src/client/') || sharedWithEmbed.includes(target)) return false
          if (dashboardTypes.includes(target)) return loadingImportsOf(text).includes(specifier)
          return ![place, ...dashboardMayImport[place]!].includes(target.split('/')[0]!)
        })
        .map((specifier) => `${file} -> ${specifier}`)
    })
    expect(wrong).toEqual([])
  })

  it('imports each of its files, the pages in pages.ts', () => {
    const imported = new Set(
      dashboardFiles.flatMap((file) =>
        importsOf(readFileSync(dashboardRoot + file, 'utf8')).map((specifier) =>
          posix.join(posix.dirname(file), specifier),
        ),
      ),
    )
    const unused = dashboardFiles.filter((file) => !/^main\.tsx$|\.d\.ts$/.test(file) && !imported.has(file))
    expect(unused, 'files without an import; a page needs its row in dashboard/pages.ts').toEqual([])
  })
})

const embedRoot = fileURLToPath(new URL('../embed/', import.meta.url))
const embedFiles = trackedIn('embed').filter((path) => /(?<!\.d)\.tsx?$/.test(path))

/** What each folder of the element for other sites may import beside itself; of `src` only what it is told of an operation, as types. */
const embedMayImport: Record<string, readonly string[]> = {
  'shell.ts': ['shell.css', 'core'],
  'show.tsx': ['show.css', 'controls.css', 'parts', 'core'],
  parts: ['core', 'samples'],
  core: [],
  samples: [],
}

describe('the element for other sites', () => {
  it('imports only what the table allows', () => {
    const wrong = embedFiles.flatMap((file) => {
      const text = withoutComments(readFileSync(embedRoot + file, 'utf8'))
      const place = file.split('/')[0]!
      const types = importsOf([...text.matchAll(/^import type [^;]*?'[^']+'$/gm)].join('\n'))
      return importsOf(text)
        .filter((specifier) => {
          if (!specifier.startsWith('.')) return place === 'shell.ts' || !/^preact(\/hooks)?$/.test(specifier)
          const target = posix.join(posix.dirname(file), specifier)
          if (/^\.\.\/src\/pages\/(embed|guides)\//.test(target)) return !types.includes(specifier)
          return ![place, ...embedMayImport[place]!].includes(target.split('/')[0]!)
        })
        .map((specifier) => `${file} -> ${specifier}`)
    })
    expect(wrong).toEqual([])
  })
})

describe('what tests share', () => {
  const shared = trackedIn('test').filter(
    (path) =>
      /(?<!\.test)\.ts$/.test(path) && path !== 'support/clean-up.ts' && path !== 'client/examples.ts',
  )

  it('leaves hooks to files of tests: a hook here would belong to the first file that imports it', () => {
    const hooks = shared.filter((path) =>
      /^(before|after)(Each|All)\(/m.test(readFileSync(`test/${path}`, 'utf8')),
    )
    expect(hooks).toEqual([])
  })
})

describe('a start', () => {
  const loaded = [...loadedBy('cli/main.ts'), ...loadedBy('cli/start.ts')]

  it('loads no other packages than those that the first answer needs', () => {
    const packages = loaded.filter((each) => !each.endsWith('.ts') && !each.startsWith('node:'))
    expect([...new Set(packages)].sort()).toEqual([
      'hono',
      'ipaddr.js',
      'libphonenumber-js/min',
      'lowdb',
      'zod',
    ])
  })

  it.each([
    'cli/program.ts',
    'control/control.ts',
    'generated/control/schemas.ts',
    'generated/extensions/schemas.ts',
    'service/operations/extensions/extensions.ts',
    'pages/site.ts',
    'client/connect.ts',
    'certify/certify.ts',
    'certify/checks.ts',
    'mcp/server.ts',
  ])('does not wait for %s', (file) => {
    expect(files).toContain(file)
    expect(loaded).not.toContain(file)
  })
})

describe('this test', () => {
  it('sees every form of import', () => {
    const text = `
      import a from 'a'
      import type { B } from './b.ts'
      import {
        c,
      } from 'c'
      import 'd'
      export * from '../e.ts'
      const f = await import('f')
      // import g from 'g'
      /* import h from 'h' */
    `
    expect(importsOf(withoutComments(text))).toEqual(['a', './b.ts', 'c', 'd', '../e.ts', 'f'])
  })

  it('knows imports that load from those of types and those that wait', () => {
    const text = `
import a from 'a'
import type { B } from './b.ts'
import {
  c,
  type D,
} from 'c'
import 'd'
export * from '../e.ts'
export type { F } from './f.ts'
const g = await import('g')`
    expect(loadingImportsOf(text)).toEqual(['a', 'c', 'd', '../e.ts'])
  })

  it.each([
    ['service/domain/teams.ts', '../operations/teams.ts'],
    ['service/domain/teams.ts', '../../callbacks/signatures/sign.ts'],
    ['service/domain/deep/teams.ts', '../../../sandbox/app.ts'],
    ['service/domain/teams.ts', 'hono/factory'],
    ['storage/store/change.ts', '../../service/domain/teams.ts'],
    ['service/domain/teams.ts', '../../scenarios/decide.ts'],
    ['storage/store/rows.ts', '../../service/domain/money.ts'],
    ['http/serve.ts', '../config/config.ts'],
    ['service/vocabulary/terms.ts', '../../storage/store/rows.ts'],
    ['callbacks/send.ts', '../scheduler/due.ts'],
    ['callbacks/signatures/sign.ts', '../callbacks/send.ts'],
    ['service/operations/teams.ts', '../../scheduler/due.ts'],
    ['scheduler/due.ts', 'node-cron'],
    ['lib/clock/clock.ts', '../../storage/store/change.ts'],
    ['nowhere/new.ts', '../lib/lazy.ts'],
  ])('refuses %s -> %s', (file, specifier) => {
    expect(wrongWay(file, [specifier])).toEqual([specifier])
  })

  it.each(['new Date()', 'Date()', 'Date.now()', 'setTimeout(f, 1)', 'randomUUID()', 'process.env.A'])(
    'sees %s',
    (text) => {
      expect(parameters.some(([pattern]) => text.match(pattern))).toBe(true)
    },
  )

  it('lets a date be made from a time', () => {
    expect(parameters.some(([pattern]) => 'new Date(now)'.match(pattern))).toBe(false)
  })
})
