/** How each receiver is made ready and started. */
import { spawnSync } from 'node:child_process'
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cached } from './cache.ts'

export interface Start {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Makes ready what is started in a folder of its own. @throws NotHere */
type Prepare = (folder: string, port: number) => Start

/** Of what a machine has not, or a registry does not give. */
export class NotHere extends Error {}

const here = fileURLToPath(new URL('..', import.meta.url))
const root = join(here, '../..')

/** @throws NotHere where there is no such command; Error with the end of what it printed when it fails */
function run(folder: string, command: string, ...args: readonly string[]): void {
  const { error, status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
  if (error) throw new NotHere(`${command}: ${error.message}`)
  const said = `${stdout}${stderr}`.slice(-2000)
  if (status !== 0) throw new Error(`${command} ${args[0]} ended with ${status}: ${said}`)
}

/** What Maven says when it is a registry that fails, and not what it compiles. */
const NOT_GIVEN = /Could not (transfer|find|resolve)|Non-resolvable|Unknown host|timed out/

/** Runs what takes something from a registry. @throws NotHere when it fails for that */
function install(folder: string, command: string, ...args: readonly string[]): void {
  try {
    run(folder, command, ...args)
  } catch (error) {
    const { message } = error as Error
    throw command !== 'mvn' || NOT_GIVEN.test(message) ? new NotHere(message) : error
  }
}

const node =
  (name: string): Prepare =>
  (folder) => {
    const from = join(here, name)
    const made = cached(name, from, ['package.json'], (making) =>
      install(
        making,
        'npm',
        'install',
        '--no-audit',
        '--no-fund',
        '--no-package-lock',
        '--loglevel',
        'error',
      ),
    )
    for (const file of ['package.json', 'receiver.js']) cpSync(join(from, file), join(folder, file))
    symlinkSync(join(made, 'node_modules'), join(folder, 'node_modules'))
    return { command: 'node', args: [join(folder, 'receiver.js')] }
  }

const REQUIREMENTS = ['fastapi/requirements.txt', 'django/requirements.txt']

/** Both are in one environment, for to make it takes longer than to fill it. */
const python =
  (name: string, args: (port: number) => readonly string[]): Prepare =>
  (_, port) => {
    const made = cached('python', here, REQUIREMENTS, (making) => {
      install(making, 'python3', '-m', 'venv', 'venv')
      const wanted = REQUIREMENTS.flatMap((file) => ['-r', file])
      install(making, 'venv/bin/python', '-m', 'pip', 'install', '--quiet', ...wanted)
    })
    const env = { PYTHONPATH: join(here, name), PYTHONDONTWRITEBYTECODE: '1' }
    return { command: join(made, 'venv/bin/python'), args: args(port), env }
  }

const php: Prepare = (_, port) => {
  const script = "exit(extension_loaded('pdo_sqlite') ? 0 : 1);"
  if (spawnSync('php', ['-r', script]).status !== 0)
    install(root, 'test/support/apt-install', 'php-cli', 'php-sqlite3')
  const args = ['-q', '-S', `127.0.0.1:${port}`, join(here, 'php/receiver.php')]
  return { command: 'php', args, env: { PHP_CLI_SERVER_WORKERS: '8' } }
}

const SPRING = [
  'pom.xml',
  ...['java/receiver/Receiver.java', 'resources/application.properties', 'resources/schema.sql'].map(
    (file) => `src/main/${file}`,
  ),
]

const spring: Prepare = () => {
  const made = cached('spring', join(here, 'spring'), SPRING, (making) =>
    install(making, 'mvn', '--batch-mode', '--quiet', '-DskipTests', 'package'),
  )
  // It lives for seconds: the compiler that makes code quick in the long run would only cost.
  const brief = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx256m']
  return { command: 'java', args: [...brief, '-jar', join(made, 'target/receiver.jar')] }
}

const go: Prepare = () => {
  const made = cached('net-http', join(here, 'net-http'), ['go.mod', 'receiver.go'], (making) =>
    run(making, 'go', 'build', '-o', 'receiver', '.'),
  )
  return { command: join(made, 'receiver'), args: [] }
}

/** In the order of the table's columns. */
export const receivers: Readonly<Record<string, Prepare>> = {
  express: node('express'),
  hono: node('hono'),
  fastapi: python('fastapi', () => ['-m', 'receiver']),
  django: python('django', (port) => [
    '-m',
    'gunicorn',
    '--bind',
    `127.0.0.1:${port}`,
    '--threads',
    '16',
    'receiver',
  ]),
  php,
  spring,
  'net-http': go,
}
