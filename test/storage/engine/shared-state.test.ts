import { afterEach, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/storage/engine/engine.ts'
import { openPostgresEngine } from '../../../src/storage/engine/postgres/engine.ts'
import { TooManyWorlds } from '../../../src/storage/engine/worlds.ts'
import { emptyDatabase, NO_DATABASE, testDatabase } from '../../support/postgres.ts'
import { engines } from './engines.ts'
const opened: Engine[] = []
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close()
})
const card = (name: string, told: Record<string, string> = {}) => ({ name, version: '1.0.0', told })

describe.each(engines)('the shared state of an engine %s', (_, create) => {
  const open = async () => {
    const engine = await create()
    opened.push(engine)
    return engine
  }

  it('stores settings and calls listeners', async () => {
    const { settings } = await open()
    const heard: unknown[] = []
    settings.onChanged((name, value) => heard.push([name, value]))
    expect(settings.get('process')).toBeUndefined()
    await settings.change('process', () => ({ chaos: { probability: 0.5 } }))
    await settings.change('process', (value) => ({ ...(value as object), delay: null }))
    expect(settings.get('process')).toEqual({ chaos: { probability: 0.5 }, delay: null })
    await settings.change('process', () => undefined)
    expect(settings.get('process')).toBeUndefined()
    expect(heard).toEqual([
      ['process', { chaos: { probability: 0.5 } }],
      ['process', { chaos: { probability: 0.5 }, delay: null }],
      ['process', undefined],
    ])
  })

  it('lists the current process', async () => {
    const { processes } = await open()
    expect(await processes.list()).toEqual([])
    processes.join(
      () => card('a', { SANDBOX_RETENTION: '1' }),
      () => {},
    )
    expect(await processes.list()).toMatchObject([{ name: 'a', own: true, told: { SANDBOX_RETENTION: '1' } }])
  })

  it('lists worlds by page, last called first', async () => {
    const { worlds } = await open()
    for (const name of ['a+1', 'a+2', 'a+3', 'b']) await worlds.create(name, {})
    const soon = Date.parse('2100-01-01')
    worlds.used('a+2', soon + 2)
    worlds.used('a+1', soon + 1)
    worlds.used('b', soon)
    const names = async (asked: Parameters<typeof worlds.list>[0]) =>
      (await worlds.list(asked)).worlds.map(({ name }) => name)
    expect(await names({ prefix: '', limit: 10 })).toEqual(['a+2', 'a+1', 'b', 'a+3'])
    const first = await worlds.list({ prefix: 'a', limit: 2 })
    expect(first).toMatchObject({ total: 3, worlds: [{ name: 'a+2', used_at: soon + 2 }, { name: 'a+1' }] })
    const after = first.worlds.at(-1)
    expect(await names({ prefix: 'a', limit: 2, after })).toEqual(['a+3'])
    expect(await names({ prefix: 'a+', limit: 2, after: { at: -1, name: '' } })).toEqual([])
    expect(await names({ prefix: '%', limit: 2 })).toEqual([])
  })

  it('creates at most the maximum number of worlds', async () => {
    const { worlds } = await open()
    await worlds.create('one', {}, { most: 2 })
    expect(await worlds.create('two', {}, { most: 2 })).toBe(true)
    await expect(worlds.create('three', {}, { most: 2 })).rejects.toThrow(TooManyWorlds)
    expect(await worlds.create('two', {}, { most: 2 })).toBe(false)
    await worlds.drop('one')
    expect(await worlds.create('three', {}, { most: 2 })).toBe(true)
    expect((await worlds.names()).toSorted()).toEqual(['three', 'two'])
  })
})

describe.skipIf(!testDatabase)(
  `of several engines ${testDatabase ? 'over one database' : NO_DATABASE}`,
  () => {
    async function start(count: number) {
      const url = await emptyDatabase()
      const engines = []
      for (let n = 0; n < count; n++) engines.push(await openPostgresEngine({ url }))
      opened.push(...engines)
      return { url, engines }
    }

    it('shares settings soon, and immediately with new processes', async () => {
      const { url, engines } = await start(3)
      const heard = new Promise<unknown>((resolve) =>
        engines[1]!.settings.onChanged((_, value) => resolve(value)),
      )
      await engines[0]!.settings.change('process', () => ({ validation: 'lenient' }))
      expect(await heard).toEqual({ validation: 'lenient' })
      await engines[2]!.settings.look()
      expect(engines[2]!.settings.get('process')).toEqual({ validation: 'lenient' })
      const later = await openPostgresEngine({ url })
      opened.push(later)
      expect(later.settings.get('process')).toEqual({ validation: 'lenient' })
    })

    it('keeps both of two concurrent changes', async () => {
      const { engines } = await start(3)
      const set = (engine: Engine, n: number) =>
        engine.settings.change('process', (value) => ({ ...(value as object), [n]: n }))
      await Promise.all(engines.map((engine, n) => set(engine, n)))
      await engines[0]!.settings.look()
      expect(engines[0]!.settings.get('process')).toEqual({ 0: 0, 1: 1, 2: 2 })
    })

    it('lists all processes until they leave', async () => {
      const { engines } = await start(2)
      engines.forEach(({ processes }, n) =>
        processes.join(
          () => card(String(n)),
          () => {},
        ),
      )
      await engines[1]!.processes.list()
      const listed = await engines[0]!.processes.list()
      expect(listed.map(({ name }) => name).toSorted()).toEqual(['0', '1'])
      expect(listed.find(({ own }) => own)?.name).toBe('0')
      await engines[1]!.close()
      expect((await engines[0]!.processes.list()).map(({ name }) => name)).toEqual(['0'])
    })

    it('creates at most the maximum number of worlds concurrently', async () => {
      const { engines } = await start(3)
      const made = await Promise.allSettled(
        Array.from({ length: 24 }, (_, n) => engines[n % 3]!.worlds.create(`w${n}`, {}, { most: 10 })),
      )
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
      expect(await engines[0]!.worlds.names()).toHaveLength(10)
      const refused = made.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
      expect(refused.filter((why) => why instanceof TooManyWorlds)).toHaveLength(14)
    })

    it('runs due work in one process', async () => {
      const { engines } = await start(3)
      const done: number[] = []
      for (const due_at of [1_000, 2_000, 3_000]) {
        const began = await Promise.all(
          engines.map(({ lock }) => lock.runOnce('reset', due_at, async () => void done.push(due_at))),
        )
        expect(began.filter(Boolean)).toHaveLength(1)
      }
      expect(done).toEqual([1_000, 2_000, 3_000])
    })
  },
)
