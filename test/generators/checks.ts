/** Makes a client with each generator, compiles it and pays with it: checks.ts folder url-of-a-sandbox. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { check, finish, since } from '../support/suite.ts'

/** The one place that says which releases are held. */
const versions = {
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  typescript: '5.9.3',
  '@types/node': '20.19.25',
  'openapi-python-client': '0.29.1',
  'oapi-codegen': '2.8.2',
  'oapi-codegen/runtime': '1.8.0',
} as const

const [work, url] = process.argv.slice(2) as [string, string]
const descriptions = ['service', 'control'] as const

/** Runs a tool in a folder. @throws Error with the end of what it printed when it fails */
function run(folder: string, command: string, ...args: readonly string[]): string {
  const { error, status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
  if (error) throw error
  if (status !== 0)
    throw new Error(`${command} ${args[0]} ended with ${status}: ${`${stdout}${stderr}`.slice(-3000)}`)
  return stdout
}

/** A registry that gives nothing says nothing of the descriptions. */
class NotInstalled extends Error {}

/** Runs what takes something from a registry. @throws NotInstalled */
function install(folder: string, command: string, ...args: readonly string[]): void {
  try {
    run(folder, command, ...args)
  } catch (error) {
    throw new NotInstalled((error as Error).message)
  }
}

const there = (command: string, ...args: readonly string[]) => spawnSync(command, args).status === 0

/** A folder with the descriptions and the program that pays. */
function folderFor(generator: string, program: string, name: string): string {
  const folder = join(work, generator)
  mkdirSync(folder)
  for (const each of descriptions) copyFileSync(join(work, `${each}.json`), join(folder, `${each}.json`))
  copyFileSync(`test/generators/programs/${program}`, join(folder, name))
  return folder
}

const release = (name: keyof typeof versions) => `${name}@${versions[name]}`

function typescript(): string {
  const folder = folderFor('typescript', 'typescript.txt', 'pay.ts')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const packages = ['openapi-typescript', 'openapi-fetch', 'typescript', '@types/node'] as const
  install(folder, 'npm', 'install', '--silent', '--no-audit', '--no-fund', ...packages.map(release))
  for (const each of descriptions)
    run(folder, 'npx', 'openapi-typescript', `${each}.json`, '-o', `${each}.ts`)
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom']
  run(folder, 'npx', 'tsc', ...options, '--outDir', 'out', 'pay.ts')
  return run(folder, 'node', 'out/pay.js', url)
}

function python(): string {
  const folder = folderFor('python', 'python.txt', 'pay.py')
  run(folder, 'python3', '-m', 'venv', 'venv')
  const bin = join(folder, 'venv/bin')
  const generator = `openapi-python-client==${versions['openapi-python-client']}`
  install(folder, join(bin, 'pip'), 'install', '--quiet', '--disable-pip-version-check', generator)
  for (const each of descriptions) {
    const options = ['--path', `${each}.json`, '--output-path', each, '--meta', 'none', '--fail-on-warning']
    writeFileSync(join(folder, 'options.yaml'), 'post_hooks: []\n')
    run(folder, join(bin, 'openapi-python-client'), 'generate', '--config', 'options.yaml', ...options)
  }
  run(folder, join(bin, 'python'), '-m', 'compileall', '-q', ...descriptions)
  return run(folder, join(bin, 'python'), 'pay.py', url)
}

function go(): string {
  const folder = folderFor('go', 'go.txt', 'pay.go')
  run(folder, 'go', 'mod', 'init', 'example.test/pay')
  install(folder, 'go', 'get', `github.com/oapi-codegen/runtime@v${versions['oapi-codegen/runtime']}`)
  const generator = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${versions['oapi-codegen']}`
  install(folder, 'go', 'run', generator, '-version')
  for (const each of descriptions) {
    mkdirSync(join(folder, each))
    const options = ['-generate', 'types,client', '-package', each, '-o', `${each}/client.go`]
    run(folder, 'go', 'run', generator, ...options, `${each}.json`)
  }
  run(folder, 'go', 'mod', 'tidy')
  run(folder, 'go', 'build', '-o', 'pay', '.')
  return run(folder, join(folder, 'pay'), url)
}

function attempt(client: () => string): string | Error {
  try {
    return client()
  } catch (error) {
    return error as Error
  }
}

for (const each of descriptions) {
  const response = await fetch(`${url}/docs/${each}.json`)
  assert.equal(response.status, 200)
  writeFileSync(join(work, `${each}.json`), await response.text())
}

const generators = [
  {
    name: `${release('openapi-typescript')} with ${release('openapi-fetch')}`,
    client: typescript,
    has: true,
  },
  { name: release('openapi-python-client'), client: python, has: there('python3', '-c', 'import ensurepip') },
  { name: release('oapi-codegen'), client: go, has: there('go', 'version') },
]
for (const { name, client, has } of generators) {
  if (!has) {
    console.log(`skipped ${name}: its language is not on this machine`)
    continue
  }
  const from = performance.now()
  const paid = attempt(client)
  if (paid instanceof NotInstalled) console.log(`skipped ${name}: it could not be installed: ${paid.message}`)
  else
    await check(name, () => {
      if (paid instanceof Error) throw paid
      assert.equal(paid.trim().toLowerCase(), 'success')
      return since(from)
    })
}
finish()
