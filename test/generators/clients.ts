/** Clients of makers that know one language: each is made, compiled and pays. They return what the payment came to. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { descriptions, folderFor, install, release, run, versionOf } from './tools.ts'

export function typescript(work: string, url: string): string {
  const folder = folderFor(work, 'typescript', 'typescript.txt', 'pay.ts')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const packages = ['openapi-typescript', 'openapi-fetch', 'typescript', '@types/node'] as const
  install(folder, 'npm', 'install', '--silent', '--no-audit', '--no-fund', ...packages.map(release))
  for (const each of descriptions)
    run(folder, 'npx', 'openapi-typescript', `${each}.json`, '-o', `${each}.ts`)
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom']
  run(folder, 'npx', 'tsc', ...options, '--outDir', 'out', 'pay.ts')
  return run(folder, 'node', 'out/pay.js', url)
}

export function python(work: string, url: string): string {
  const folder = folderFor(work, 'python', 'python.txt', 'pay.py')
  run(folder, 'python3', '-m', 'venv', 'venv')
  const bin = join(folder, 'venv/bin')
  const generator = `openapi-python-client==${versionOf('openapi-python-client')}`
  install(folder, join(bin, 'pip'), 'install', '--quiet', '--disable-pip-version-check', generator)
  for (const each of descriptions) {
    const options = ['--path', `${each}.json`, '--output-path', each, '--meta', 'none', '--fail-on-warning']
    writeFileSync(join(folder, 'options.yaml'), 'post_hooks: []\n')
    run(folder, join(bin, 'openapi-python-client'), 'generate', '--config', 'options.yaml', ...options)
  }
  run(folder, join(bin, 'python'), '-m', 'compileall', '-q', ...descriptions)
  return run(folder, join(bin, 'python'), 'pay.py', url)
}

export function go(work: string, url: string): string {
  const folder = folderFor(work, 'go', 'go.txt', 'pay.go')
  run(folder, 'go', 'mod', 'init', 'example.test/pay')
  install(folder, 'go', 'get', `github.com/oapi-codegen/runtime@v${versionOf('oapi-codegen/runtime')}`)
  const generator = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${versionOf('oapi-codegen')}`
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
