import { createReadStream } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFileEngine } from '../../src/storage/engine/file/engine.ts'
import { openPostgresEngine } from '../../src/storage/engine/postgres/engine.ts'
import { run } from '../../src/cli/run.ts'
import type { WorldRows } from '../../src/storage/store/change.ts'
import { temporaryFolder } from '../support/folder.ts'
import { emptyDatabase, NO_DATABASE, testDatabase } from '../support/postgres.ts'
import { ended, started } from './process.ts'

const file = (name = 'rows.json') => join(temporaryFolder(), name)
const places = testDatabase ? (['file', 'database'] as const) : (['file'] as const)

/** A place that has nothing yet, and how a sandbox is started with it. */
async function emptyPlace(kind: 'file' | 'database') {
  const where = kind === 'file' ? file() : await emptyDatabase()
  return { kind, where, env: { [kind === 'file' ? 'SANDBOX_DB' : 'SANDBOX_DATABASE_URL']: where } }
}
type Place = Awaited<ReturnType<typeof emptyPlace>>

const engineOf = ({ kind, where }: Place) =>
  kind === 'file' ? openFileEngine({ path: where }) : openPostgresEngine({ url: where })

async function dumpOf(place: Place, world: string): Promise<WorldRows> {
  const engine = await engineOf(place)
  try {
    return sorted(await engine.store.dump(world))
  } finally {
    await engine.close()
  }
}

/** Tables that are empty are as good as absent. */
const sorted = (rows: WorldRows): WorldRows =>
  Object.fromEntries(
    Object.entries(rows)
      .filter(([, list]) => list.length > 0)
      .toSorted(([a], [b]) => a.localeCompare(b)),
  )

/** What the answers below have, each some of it. */
interface Answer {
  readonly credentials: { readonly username: string; readonly password: string }
  readonly world: { readonly id: string }
  readonly now: string
  readonly rows: unknown
}

const basic = (user: string) => `Basic ${btoa(user)}`

async function call(base: string, path: string, body?: unknown, user = 'demo:demo') {
  const answer = await fetch(base + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: basic(user), 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Answer
}

const payment = (external_reference: string) => ({
  account_id: 63,
  amount: 100,
  phone_number: '0712345678',
  provider: 'm-pesa',
  network_code: '63902',
  external_reference,
  callback_url: 'http://127.0.0.1:9/never',
})

/** A sandbox over the place that has the default world, one beside it and one made on request, each with a history. */
async function fill(place: Place) {
  const sandbox = await started(['--port', '0'], place.env)
  const { base } = sandbox
  await call(base, '/sandbox/clock/freeze', {})
  for (const n of [1, 2, 3]) await call(base, '/api/v2/payments', payment(`first-${n}`))
  await call(base, '/sandbox/snapshots', { name: 'three payments' })
  await call(base, '/sandbox/clock/advance', { by: '1m' })
  await call(base, '/api/v2/payments', payment('beside'), 'demo+beside:demo')
  const { credentials, world } = await call(base, '/sandbox/worlds', { name: 'Made' })
  const key = `${credentials.username}:${credentials.password}`
  await call(base, '/api/v2/payments', payment('made'), key)
  const { now } = await call(base, '/sandbox/clock')
  return { ...sandbox, worlds: ['demo', 'demo+beside', world.id], key, now }
}

const stopped = async ({ stop, code }: { stop: () => void; code: Promise<number> }) => {
  stop()
  expect(await code).toBe(0)
}

const done = { code: 0, err: '' }

describe.each(places)('worlds out of a %s', (from) => {
  it.each(places)('are the same in another %s, with their keys, clocks and ids', async (to) => {
    const [source, target] = [await emptyPlace(from), await emptyPlace(to)]
    const { worlds, key, now, ...sandbox } = await fill(source)
    await stopped(sandbox)
    const path = file('worlds.jsonl')
    const exported = await ended(['export', '--all', '--out', path], source.env)
    expect(exported).toMatchObject(done)
    for (const world of worlds) expect(exported.out).toContain(`${world}: `)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await ended(['import', path], target.env)).toMatchObject(done)
    for (const world of worlds) expect(await dumpOf(target, world)).toEqual(await dumpOf(source, world))

    const again = await started(['--port', '0'], target.env)
    const clock = await call(again.base, '/sandbox/clock')
    expect(clock).toMatchObject({ now, frozen: true })
    await call(again.base, '/sandbox/worlds/current', undefined, key)
    await call(again.base, '/api/v2/payments', payment('later'))
    expect(await call(again.base, '/sandbox/worlds/current')).toMatchObject({ transactions: 4 })
    await stopped(again)
  })
})

describe.skipIf(!testDatabase)(`a database ${testDatabase ? 'for this test' : NO_DATABASE}`, () => {
  it('exports snapshots with their ids, and the request log without passwords', async () => {
    const [source, target] = [await emptyPlace('database'), await emptyPlace('database')]
    const sandbox = await fill(source)
    await call(sandbox.base, '/sandbox/snapshots', { name: 'second' })
    await fetch(`${sandbox.base}/sandbox/snapshots/1`, {
      method: 'DELETE',
      headers: { authorization: basic('demo:demo') },
    })
    const before = await call(sandbox.base, '/sandbox/snapshots')
    const requests = await call(sandbox.base, '/sandbox/requests')
    await stopped(sandbox)
    const path = file('worlds.jsonl')
    expect(await ended(['export', 'demo', '--out', path], source.env)).toMatchObject(done)
    expect(await readFile(path, 'utf8')).not.toContain(btoa('demo:demo'))
    expect(await ended(['import', path], target.env)).toMatchObject(done)

    const again = await started(['--port', '0'], target.env)
    expect(await call(again.base, '/sandbox/snapshots')).toEqual(before)
    expect(await call(again.base, '/sandbox/requests')).toEqual(requests)
    await call(again.base, '/sandbox/snapshots/2/restore', {})
    await stopped(again)
  })

  it('imports worlds while a sandbox serves the database', async () => {
    const [source, target] = [await emptyPlace('file'), await emptyPlace('database')]
    const { key, ...sandbox } = await fill(source)
    await stopped(sandbox)
    const path = file('worlds.jsonl')
    expect(await ended(['export', '--all', '--out', path], source.env)).toMatchObject(done)
    const again = await started(['--port', '0'], target.env)
    const refused = await ended(['import', path], target.env)
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toContain('line 1: postgres://')
    expect(await ended(['import', path, '--replace'], target.env)).toMatchObject(done)
    const list = await call(again.base, '/sandbox/transactions')
    expect(JSON.stringify(list)).toContain('first-3')
    await call(again.base, '/sandbox/worlds/current', undefined, key)
    await stopped(again)
  })
})

it.each(places)('who uses a world of a %s, and the token that shows it, is in no file', async (kind) => {
  const place = await emptyPlace(kind)
  const engine = await engineOf(place)
  const lease = { holder: 'checkout suite', token: 'shown-by-its-holder', since: 0, until: 1e15 }
  const rows: WorldRows = { state: [{ name: 'lease', value: lease }] }
  await engine.worlds.create('demo', rows)
  await engine.snapshots.add('demo', {
    name: 'first',
    at: 0,
    clock: { real_anchor: 0, world_anchor: 0, speed: 0 },
    rows,
    rows_version: 0,
    bytes: 0,
  })
  await engine.close()
  const path = file('worlds.jsonl')
  expect(await ended(['export', 'demo', '--out', path], place.env)).toMatchObject(done)
  expect(await readFile(path, 'utf8')).not.toMatch(/checkout suite|shown-by/)
})

describe('a running sandbox', () => {
  it('exports worlds to a file and imports them with their keys', async () => {
    // Nothing changes until both are compared, however long that takes.
    const env = { SANDBOX_SETTLE_AFTER: '1h' }
    const [source, other] = [await started(['--port', '0'], env), await started(['--port', '0'], env)]
    await call(source.base, '/api/v2/payments', payment('one'))
    await call(source.base, '/api/v2/payments', payment('two'), 'demo+beside:demo')
    const path = file('worlds.jsonl')
    const exported = await ended(['export', '--all', '--from', source.base, '--out', path])
    expect(exported).toEqual({ ...done, out: 'demo: 1 line\ndemo+beside: 1 line\n' })
    expect((await ended(['import', path, '--to', other.base])).err).toContain('pass --replace')
    expect(await ended(['import', path, '--to', other.base, '--replace'])).toMatchObject(done)
    for (const user of ['demo:demo', 'demo+beside:demo'])
      expect((await call(other.base, '/sandbox/export', undefined, user))['rows']).toEqual(
        (await call(source.base, '/sandbox/export', undefined, user))['rows'],
      )
  })

  it('names a world with a different key, and exports the others', async () => {
    const { base } = await started(['--port', '0'])
    const { world, credentials } = await call(base, '/sandbox/worlds', {})
    const { id } = world
    const { code, out, err } = await ended(['export', '--all', '--from', base])
    expect(code).toBe(1)
    expect(err).toContain(`the world ${id} has different keys. Pass one with --user`)
    expect(out.trim().split('\n')).toHaveLength(1)
    const { username, password } = credentials
    const own = await ended(['export', id, '--from', base, '--user', `${username}:${password}`])
    expect(own).toMatchObject(done)
    expect(JSON.parse(own.out)).toMatchObject({ format: 'payments-sandbox-world', world: id })
  })

  it('exports the same as the control API, which imports it', async () => {
    const { base } = await started(['--port', '0'])
    const path = file('export.json')
    await writeFile(path, JSON.stringify(await call(base, '/sandbox/export')))
    const place = await emptyPlace('file')
    const nameless = await ended(['import', path], place.env)
    expect(nameless).toMatchObject({ code: 1 })
    expect(nameless.err).toContain(`${path} line 1: contains no world name; pass one with --world`)
    expect(await ended(['import', path, '--world', 'demo'], place.env)).toMatchObject(done)
    const { out } = await ended(['export', 'demo'], place.env)
    const { world: _, ...line } = JSON.parse(out)
    await call(base, '/sandbox/import', line)
  })

  it('exits with 4 if no sandbox answers, and with 1 for a wrong password', async () => {
    const { base } = await started(['--port', '0'])
    expect(await ended(['export', 'demo', '--from', 'http://127.0.0.1:9'])).toMatchObject({ code: 4 })
    expect(await ended(['export', 'demo', '--from', base, '--user', 'demo:no'])).toMatchObject({ code: 1 })
  })
})

describe('errors are reported before anything is written', () => {
  const good = async () => {
    const place = await emptyPlace('file')
    await stopped(await started(['--port', '0'], place.env))
    return JSON.parse((await ended(['export', 'demo'], place.env)).out)
  }

  it.each<[string, (line: Record<string, never>) => unknown, string]>([
    [
      'a later version',
      (line) => ({ ...line, version: 2 }),
      'version 2 of payments-sandbox-world is not supported; this release reads version 1',
    ],
    [
      'another format',
      (line) => ({ ...line, format: 'payments-sandbox-wrld' }),
      'did you mean payments-sandbox-world?',
    ],
    [
      'a table that is none',
      (line) => ({ ...line, rows: { usrs: [] } }),
      'rows.usrs is no table (did you mean users?)',
    ],
    [
      'a row that is none',
      (line) => ({ ...line, rows: { users: [7] } }),
      'rows.users[0] must be an object, got 7',
    ],
    ['a row without its key', (line) => ({ ...line, rows: { users: [{}] } }), 'rows.users[0] has no key'],
    ['a name that is none', (line) => ({ ...line, world: 7 }), 'world must be a name, got 7'],
    ['no object', () => [], 'must be an object'],
    [
      'a snapshot of another world',
      () => ({ format: 'payments-sandbox-snapshot' }),
      'contains no world name',
    ],
  ])('%s', async (_, change, message) => {
    const line = await good()
    const path = file('worlds.jsonl')
    await writeFile(path, `${JSON.stringify(line)}\n${JSON.stringify(change(line))}\n`)
    const place = await emptyPlace('file')
    const { code, out, err } = await ended(['import', path], place.env)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain(`${path} line 2: `)
    expect(err).toContain(message)
    expect(await ended(['export', '--all'], place.env)).toMatchObject({ ...done, out: '' })
  })

  it('invalid JSON, a missing file, an empty file, an unknown world, an existing file', async () => {
    const place = await emptyPlace('file')
    const path = file('worlds.jsonl')
    await writeFile(path, '{"format"\n')
    expect((await ended(['import', path], place.env)).err).toContain(`${path} line 1: `)
    await writeFile(path, '\n')
    expect((await ended(['import', path], place.env)).err).toContain('contains no worlds')
    expect((await ended(['import', `${path}.none`], place.env)).err).toBe(
      `the file ${path}.none does not exist\n`,
    )
    expect((await ended(['export', '--all', '--from', `${path}.none`])).err).toContain(
      'There is no rows file',
    )
    await stopped(await started(['--port', '0'], place.env))
    expect(await ended(['export', 'dmo'], place.env)).toEqual({
      code: 1,
      out: '',
      err: `${place.where} has no world dmo (did you mean demo?)\n`,
    })
    const taken = await ended(['export', 'demo', '--out', path], place.env)
    expect(taken).toEqual({
      code: 3,
      out: '',
      err: `${path} exists already. Choose another file, or delete it.\n`,
    })
    expect(await ended(['export', 'demo', '--out', `${path}/x`], place.env)).toMatchObject({
      code: 3,
      err: `${path}/x cannot be created: a part of its path is a file. Choose another file.\n`,
    })
    expect(await ended(['export'], place.env)).toMatchObject({ code: 2 })
    const said = [
      ['import', `${path}.none`],
      ['import', path],
      ['export', 'dmo'],
    ]
    for (const args of said) {
      const { code, err } = await ended([...args, '--json'], place.env)
      expect(JSON.parse(err)).toEqual({
        kind: 'error',
        message: expect.stringMatching(/file|worlds|dmo/),
        code,
      })
    }
  })

  it('a rows file in use by a sandbox', async () => {
    const place = await emptyPlace('file')
    await started(['--port', '0'], place.env)
    const { code, err } = await ended(['export', '--all', '--from', place.where])
    expect(code).toBe(3)
    expect(err).toContain('is using it')
  })
})

it('worlds can be piped', async () => {
  const [source, target] = [await emptyPlace('file'), await emptyPlace('file')]
  await stopped(await started(['--port', '0'], source.env))
  const path = file('worlds.jsonl')
  await writeFile(path, (await ended(['export', '--all'], source.env)).out)
  const silent = { write: () => {}, terminal: false, colours: false }
  const code = await run(['import', '-', '--to', target.where], {
    env: {},
    out: silent,
    err: silent,
    input: () => createReadStream(path) as AsyncIterable<Buffer>,
    stopped: () => new Promise(() => {}),
  })
  expect(code).toBe(0)
  expect(await dumpOf(target, 'demo')).toEqual(await dumpOf(source, 'demo'))
})
