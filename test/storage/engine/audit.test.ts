import { readFileSync, writeFileSync } from 'node:fs'
import { appendFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AuditEntry, AuditShelf } from '../../../src/storage/engine/audit.ts'
import type { Engine } from '../../../src/storage/engine/engine.ts'
import { openFileEngine } from '../../../src/storage/engine/file/engine.ts'
import { createMemoryEngine } from '../../../src/storage/engine/memory/engine.ts'
import { postgresAudit } from '../../../src/storage/engine/postgres/shared-state.ts'
import { Database } from '../../../src/storage/engine/postgres/database.ts'
import { openPostgresEngine } from '../../../src/storage/engine/postgres/engine.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { closedLater } from '../../support/open-engines.ts'
import { emptyDatabase, testDatabase } from '../../support/postgres.ts'
import { engines } from './engines.ts'

let made = 0

const entryOf = (some: Partial<AuditEntry> = {}): Omit<AuditEntry, 'id'> => ({
  at: 1_000,
  request_id: `request-${++made}`,
  operation: 'resetWorld',
  world: 'demo',
  actor: { kind: 'key', name: null, username: 'demo', role: 'owner', world: 'demo', address: null },
  status: 200,
  subject: null,
  requested: {},
  ...some,
})

const subjects = async ({ audit }: Engine, query = {}) =>
  (await audit.list({ limit: 100, ...query })).map(({ subject }) => subject)

const add = async (
  engine: Engine,
  from: number,
  to: number,
  some: Partial<AuditEntry>,
  shelf: AuditShelf,
) => {
  for (let n = from; n <= to; n++) await engine.audit.add(entryOf({ subject: String(n), ...some }), shelf)
}

describe.each(engines)('the audit log of an engine %s', (_, create) => {
  it('lists changes newest first, by actor, operation, world and time', async () => {
    const engine = closedLater(await create())
    const by = {
      kind: 'admin',
      name: 'anna',
      username: null,
      role: null,
      world: null,
      address: '::1',
    } as const
    const requested = { body: { text: 'a\0b “c” \ud800', list: [1, null] } }
    await add(engine, 1, 2, {}, 'worlds')
    await engine.audit.add(
      entryOf({ subject: '3', actor: by, world: null, at: 2_000, operation: 'adminReset', requested }),
      'admin',
    )
    await engine.audit.add(entryOf({ subject: '4', world: 'demo+x', at: 3_000 }), 'worlds')
    expect(await subjects(engine)).toEqual(['4', '3', '2', '1'])
    expect(await subjects(engine, { limit: 2 })).toEqual(['4', '3'])
    expect(await subjects(engine, { actor: 'anna' })).toEqual(['3'])
    expect(await subjects(engine, { actor: 'demo' })).toEqual(['4', '2', '1'])
    expect(await subjects(engine, { operation: 'adminReset' })).toEqual(['3'])
    expect(await subjects(engine, { world: 'demo' })).toEqual(['4', '2', '1'])
    expect(await subjects(engine, { world: 'demo+x' })).toEqual(['4'])
    expect(await subjects(engine, { since: 2_000, until: 3_000 })).toEqual(['3'])
    expect(await subjects(engine, { actor: 'a\0b' })).toEqual([])
    const [, third] = await engine.audit.list({ limit: 2 })
    expect(third).toMatchObject({ actor: by, requested, world: null, status: 200 })
    expect(await subjects(engine, { before: third!.id })).toEqual(['2', '1'])
    await engine.worlds.drop('demo')
    expect(await subjects(engine, { world: 'demo' })).toEqual(['4', '2', '1'])
  })
})

const swept = { url: '' }

const few: readonly [name: string, create: () => Promise<Engine>][] = [
  ['in memory', () => createMemoryEngine({ auditEntries: 20 })],
  ['in a file', () => openFileEngine({ path: join(temporaryFolder(), 'rows.json'), auditEntries: 20 })],
  ...(testDatabase
    ? [
        [
          'in PostgreSQL',
          async () => {
            const url = (swept.url = await emptyDatabase())
            return openPostgresEngine({ url, auditEntries: 20 })
          },
        ] as [string, () => Promise<Engine>],
      ]
    : []),
]

describe.each(few)('the audit log of an engine %s with 20 entries per shelf', (name, create) => {
  it('limits a world to two entries, and guests cannot push out the entries of others', async () => {
    const engine = closedLater(await create())
    await add(engine, 1, 5, {}, 'worlds')
    const by = {
      kind: 'anonymous',
      name: null,
      username: null,
      role: null,
      world: null,
      address: null,
    } as const
    await add(engine, 6, 9, { world: null, actor: by }, 'admin')
    for (let n = 0; n < 15; n++) await add(engine, 100, 103, { world: `demo+${n}`, actor: by }, 'guests')
    expect(await subjects(engine, { world: 'demo' })).toEqual(['5', '4'])
    if (name === 'in PostgreSQL') {
      // Normally runs once a minute.
      const database = await Database.open(swept)
      await postgresAudit(database, 20).sweep()
      await database.close()
    }
    const all = await subjects(engine)
    expect(all).toHaveLength(26)
    expect(all.slice(-6)).toEqual(['9', '8', '7', '6', '5', '4'])
  })
})

describe('the audit log in a file', () => {
  it('survives restarts, an incomplete line and a rewrite', async () => {
    const path = join(temporaryFolder(), 'rows.json')
    const open = () => openFileEngine({ path, auditEntries: 100 })
    const one = await open()
    await add(one, 1, 3, {}, 'worlds')
    await one.close()
    await appendFile(`${path}.audit`, '{"entry":{"id":4,"at":')
    const other = await open()
    expect(await subjects(other)).toEqual(['3', '2', '1'])
    await add(other, 4, 4, {}, 'worlds')
    await other.close()
    const third = await open()
    expect(await subjects(third)).toEqual(['4', '3', '2', '1'])
    await add(third, 5, 600, { world: null }, 'admin')
    await third.close()
    expect(readFileSync(`${path}.audit`, 'utf8').split('\n').length).toBeLessThan(500)
    expect((await stat(`${path}.audit`)).mode & 0o777).toBe(0o600)
    const last = closedLater(await open())
    expect((await subjects(last)).slice(0, 2)).toEqual(['600', '599'])
    expect(await subjects(last, { world: 'demo', before: 5 })).toEqual(['4', '3', '2', '1'])
  })

  it('is read at first use, without unreadable lines', async () => {
    const path = join(temporaryFolder(), 'rows.json')
    writeFileSync(`${path}.audit`, 'nonsense\n{"entry":{"id":"x"},"shelf":"admin"}\n\n')
    const engine = closedLater(await openFileEngine({ path }))
    await add(engine, 1, 1, {}, 'worlds')
    expect(await subjects(engine)).toEqual(['1'])
  })
})
