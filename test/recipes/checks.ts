/** Writes the files of docs/containers.md and docs/ci.md below `folder`/files and checks each with its tool: checks.ts folder. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { settings } from '../../src/config/settings.ts'
import { check, finish } from '../support/suite.ts'

const folder = process.argv[2]!
const page = ['docs/containers.md', 'docs/ci.md'].map((each) => readFileSync(each, 'utf8')).join('\n')
const bin = (name: string) => join(folder, 'python/bin', name)

/** A block whose first line is a comment with the name of its file. */
const blocks = page.matchAll(/^```(?:yaml|ts)\n(?:#|\/\/) (\S+)\n([^]*?)^```$/gm)
const recipes = new Map(Array.from(blocks, ([, name, text]) => [name!, text!]))

/** Runs a tool on a file; what it prints is the reason when it refuses. */
function accepts(command: string, args: readonly string[]) {
  try {
    execFileSync(command, args, { encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${stdout}${stderr}`, { cause: error })
  }
}

function path(name: string): string {
  const text = recipes.get(name)
  assert.ok(text, `no page has ${name}; the pages have ${[...recipes.keys()].join(', ')}`)
  const file = join(folder, 'files', name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

const schema = (name: string, file: string) =>
  accepts(bin('check-jsonschema'), ['--builtin-schema', `vendor.${name}`, file])

await check('GitHub Actions workflow', () => schema('github-workflows', path('.github/workflows/test.yml')))
await check('GitHub Actions workflow without an image', () =>
  schema('github-workflows', path('.github/workflows/without-image.yml')),
)
await check('GitLab CI', () => schema('gitlab-ci', path('.gitlab-ci.yml')))
await check('Docker Compose', () => schema('compose-spec', path('compose.yaml')))
await check("this repository's compose.yaml", () => {
  copyFileSync('compose.yaml', join(folder, 'own-compose.yaml'))
  schema('compose-spec', join(folder, 'own-compose.yaml'))
})
await check('the files of init', () => {
  const templates = 'templates/init'
  schema('compose-spec', join(templates, 'compose.payments.yml'))
  for (const name of readdirSync(join(templates, 'workflows')))
    schema('github-workflows', join(templates, 'workflows', name))
})
await check('Kubernetes', () => accepts(bin('kubernetes-validate'), ['--strict', path('sandbox.yaml')]))
await check('Testcontainers, by the types of its release', () => {
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023']
  accepts('npx', ['tsc', '--ignoreConfig', ...options, '--types', 'node', path('sandbox.ts')])
})
await check('GitHub Actions workflow with a sandbox in the background', () =>
  schema('github-workflows', path('.github/workflows/background.yml')),
)
await check('a file that is wrong is refused', () => {
  const broken = join(folder, 'broken.yml')
  writeFileSync(broken, recipes.get('.github/workflows/test.yml')!.replace('runs-on:', 'run-on:'))
  assert.throws(() => schema('github-workflows', broken), /run-on/)
})
await check('every variable is a setting', () => {
  const known = Object.values(settings).map(({ variable }) => variable as string)
  const files = ['compose.yaml', 'templates/init/compose.payments.yml']
  const text = page + files.map((file) => readFileSync(file, 'utf8')).join('')
  const named = [...new Set(text.match(/(?<![A-Z_])SANDBOX_[A-Z_]+/g))]
  assert.deepEqual(
    named.filter((name) => !known.includes(name)),
    [],
  )
  return named.join(', ')
})
finish()
