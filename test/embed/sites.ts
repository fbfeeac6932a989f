/** The docs sites of examples/docs-sites: their generators, installed once for what pins them, and run. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface DocsSite {
  readonly name: string
  /** What pins its packages. */
  readonly pinned: string
  /** The commands that install them and that build the site. */
  readonly install: readonly (readonly [command: string, ...words: string[]])[]
  readonly build: readonly [command: string, ...words: string[]]
  /** Where the site then is. */
  readonly output: string
  /** Whether it takes too much of a machine's time to be built each time. */
  readonly heavy?: true
}

const npm = {
  pinned: 'package-lock.json',
  install: [['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']],
} as const

export const sites: readonly DocsSite[] = [
  { ...npm, name: 'vitepress', build: ['npx', 'vitepress', 'build'], output: '.vitepress/dist' },
  {
    name: 'mkdocs-material',
    pinned: 'requirements.txt',
    install: [
      ['python3', '-m', 'venv', 'venv'],
      [
        'venv/bin/pip',
        'install',
        '--quiet',
        '--disable-pip-version-check',
        '--no-deps',
        '-r',
        'requirements.txt',
      ],
    ],
    build: ['venv/bin/mkdocs', 'build', '--quiet', '--strict'],
    output: 'site',
  },
  { ...npm, name: 'starlight', build: ['npx', 'astro', 'build'], output: 'dist' },
  { ...npm, name: 'docusaurus', build: ['npx', 'docusaurus', 'build'], output: 'build', heavy: true },
]

const sources = 'examples/docs-sites'
const kept = join(homedir(), '.cache/payments-sandbox/docs-sites')

/** Whoever keeps a folder for packages, there once they are all installed. */
export async function installed({ name, pinned, install }: DocsSite): Promise<string> {
  const hash = createHash('sha256')
    .update(readFileSync(join(sources, name, pinned)))
    .update(process.version)
  const folder = join(kept, `${name}-${hash.digest('hex').slice(0, 16)}`)
  const whole = join(folder, '.installed')
  if (existsSync(whole)) return folder
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync(join(sources, name), folder, { recursive: true })
  for (const [command, ...words] of install) await run(command, words, { cwd: folder, maxBuffer: 1e8 })
  writeFileSync(whole, '')
  return folder
}

/** Builds a site where its packages are. @returns the folder of its pages */
export async function built(site: DocsSite, folder: string, sandbox: string): Promise<string> {
  cpSync(join(sources, site.name), folder, { recursive: true })
  rmSync(join(folder, site.output), { recursive: true, force: true })
  const [command, ...words] = site.build
  const env = {
    ...process.env,
    SANDBOX: sandbox,
    EMBED_SCRIPT: `${sandbox}/docs/embed.js`,
    EMBED_STYLE: `${sandbox}/docs/embed.css`,
    ASTRO_TELEMETRY_DISABLED: '1',
    DOCUSAURUS_PERF_LOGGER: '',
    CI: 'true',
  }
  await run(command, words, { cwd: folder, env, maxBuffer: 1e8 })
  return join(folder, site.output)
}

const types: { readonly [ending: string]: string } = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
}

/** A host of pages, which are there later than its address. */
export async function startHost() {
  let folder = ''
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    const name = pathname.endsWith('/') ? `${pathname}index.html` : pathname
    const file = join(folder, name)
    if (!existsSync(file)) return response.writeHead(name.startsWith('/favicon.') ? 204 : 404).end()
    return response
      .setHeader('content-type', types[extname(file)] ?? 'application/octet-stream')
      .end(readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://localhost:${port}`,
    show: (pages: string) => void (folder = pages),
    close: () => server.close(),
  }
}
