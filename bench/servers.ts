import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { insideScript } from './build.ts'
import { account, channel, channels, collection } from './floors/answers.mjs'
import type { Command } from './processes.ts'
import { here, root } from './settings.ts'

const description = join(root, 'src/generated/service/openapi.json')
const peer = (path: string) => join(here, 'node_modules', path)

export const ours: Command = { args: [join(root, 'bin/payments-sandbox.cjs'), 'start'] }
export const oursFromSource: Command = { args: ['--import', 'tsx', join(root, 'src/cli/main.ts'), 'start'] }

export const oursByNpm: Command = { program: 'npm', args: ['start', '--silent'] }

/** The sandbox with a world of a given size. */
export const oursWith = (env: Record<string, string>): Command => ({
  args: ['--expose-gc', '--max-old-space-size=6144', insideScript('server')],
  env,
})

export const bare = (count = 10): Command => ({
  args: [join(here, 'floors/bare.mjs')],
  env: { CHANNELS: String(count) },
})
export const hono = (count = 10): Command => ({
  args: [join(here, 'floors/hono.mjs')],
  env: { CHANNELS: String(count) },
})

/** A plain server with rows in a Map, without rules. */
export const fastify = (count = 10): Command => ({
  args: [join(here, 'floors/fastify.mjs')],
  env: { CHANNELS: String(count) },
})

/** Validates requests against the description and responds with its examples. */
export const prism: Command = {
  args: [
    peer('@stoplight/prism-cli/dist/index.js'),
    'mock',
    '-h',
    '127.0.0.1',
    '-p',
    '{port}',
    '-v',
    'silent',
    description,
  ],
}

/** Reads the description and responds with generated values of the right types. */
export const mockoon: Command = {
  args: [
    peer('@mockoon/cli/bin/run.js'),
    'start',
    '--data',
    description,
    '--port',
    '{port}',
    '--hostname',
    '127.0.0.1',
    '--disable-log-to-file',
    '--disable-admin-api',
  ],
}

/** Cannot read the description: one stub per route with the baseline's body. */
export function wiremock(count = 10): Command {
  const folder = mkdtempSync(join(tmpdir(), 'bench-wiremock-'))
  mkdirSync(join(folder, 'mappings'))
  const stub = (method: string, urlPath: string, status: number, jsonBody: object) => ({
    request: { method, urlPath },
    response: { status, jsonBody, headers: { 'Content-Type': 'application/json' } },
  })
  const mappings = [
    stub('POST', '/api/v2/payments', 201, collection()),
    stub('GET', '/api/v2/account/63', 200, account()),
    stub('GET', '/api/v2/payment_channels', 200, channels(count)),
  ]
  writeFileSync(join(folder, 'mappings/all.json'), JSON.stringify({ mappings }))
  return {
    program: 'java',
    args: [
      '-jar',
      peer('wiremock/build/wiremock-standalone-3.13.2.jar'),
      '--port',
      '{port}',
      '--bind-address',
      '127.0.0.1',
      '--root-dir',
      folder,
      '--no-request-journal',
      '--disable-banner',
    ],
  }
}

/** Stores posted bodies in a JSON file and pages its lists; has neither description nor rules. */
export function jsonServer(count = 10): Command {
  const folder = mkdtempSync(join(tmpdir(), 'bench-json-server-'))
  const db = join(folder, 'db.json')
  const routes = join(folder, 'routes.json')
  const rows = Array.from({ length: count }, (_, i) => channel(i + 1))
  writeFileSync(db, JSON.stringify({ payments: [], accounts: [account().account], payment_channels: rows }))
  writeFileSync(
    routes,
    JSON.stringify({
      '/api/v2/payments': '/payments',
      '/api/v2/account/:id': '/accounts/:id',
      '/api/v2/payment_channels*': '/payment_channels?_page=1&_limit=20',
    }),
  )
  return {
    args: [
      peer('json-server/lib/cli/bin.js'),
      '--host',
      '127.0.0.1',
      '--port',
      '{port}',
      '--routes',
      routes,
      '--quiet',
      db,
    ],
  }
}
