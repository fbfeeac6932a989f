import { setImmediate } from 'node:timers'
import type { Engine } from '../../src/storage/engine/engine.ts'
import type { JournalRecord } from '../../src/storage/engine/journal.ts'
import { createMemoryEngine } from '../../src/storage/engine/memory/engine.ts'
import type { Change, Store, View } from '../../src/storage/store/change.ts'

/**
 * An engine like one over a network: it answers copies of rows, so that nothing may compare a row by identity, begins each
 * change and read in a later turn of the event loop, and makes each change twice, the first time as if another process had
 * changed the world meanwhile.
 */
export async function createCopyingEngine(): Promise<Engine> {
  const engine = await createMemoryEngine()
  const worlds: Engine['worlds'] = {
    ...engine.worlds,
    async create(name, rows, asked) {
      await turn()
      return engine.worlds.create(name, copy(rows), asked)
    },
  }
  const { snapshots, journal } = engine
  return {
    ...engine,
    worlds,
    store: copyingStore(engine.store),
    journal: { open: (world, limits) => copyingRecord(journal.open(world, limits)) },
    snapshots: {
      take: (world, about) =>
        turn()
          .then(() => snapshots.take(world, about))
          .then(copy),
      add: (world, snapshot) =>
        turn()
          .then(() => snapshots.add(world, copy(snapshot)))
          .then(copy),
      get: (world, id) =>
        turn()
          .then(() => snapshots.get(world, id))
          .then(copy),
      list: (world) =>
        turn()
          .then(() => snapshots.list(world))
          .then(copy),
      delete: (world, id) => turn().then(() => snapshots.delete(world, id)),
      look: (world) => snapshots.look(world),
      spent: (world) => snapshots.spent(world),
    },
  }
}

const copy = <T>(value: T): T => structuredClone(value)
const notStored = new Error('not stored')
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

function copyingRecord(record: JournalRecord): JournalRecord {
  return {
    nextId: () => record.nextId(),
    add: (entry) => record.add(copy(entry)),
    answered: (entry, bytes) => record.answered(copy(entry), bytes),
    get: (id) =>
      turn()
        .then(() => record.get(id))
        .then(copy),
    remembered: (ids) => turn().then(() => record.remembered(ids)),
    all: () =>
      turn()
        .then(() => record.all())
        .then(copy),
    newest: (most) =>
      turn()
        .then(() => record.newest(most))
        .then(copy),
    clear: () => turn().then(() => record.clear()),
    look: () => record.look(),
    get size() {
      return record.size
    },
    get bytes() {
      return record.bytes
    },
    onAnswered: (listener) => record.onAnswered((entry) => listener(copy(entry))),
  }
}

function copyingStore(store: Store): Store {
  return {
    worlds: () => store.worlds(),
    async change(world, work) {
      await turn()
      const refuse = (change: Change) => {
        work(copyingChange(change))
        throw notStored
      }
      await Promise.resolve(store.change(world, refuse)).catch((error: unknown) => {
        if (error !== notStored) throw error
      })
      return store.change(world, (change) => work(copyingChange(change)))
    },
    async read(world, work) {
      await turn()
      return store.read(world, (view) => work(copyingView(view)))
    },
    moment: () => store.moment(),
    async readInSlices(world, work) {
      await turn()
      return store.readInSlices(world, (view) => work(copyingView(view)))
    },
    async load(world, rows, since) {
      await turn()
      await store.load(world, copy(rows), since)
    },
    async dump(world) {
      await turn()
      return copy(await store.dump(world))
    },
    version: (world) => store.version(world),
    bytes: (world) => store.bytes(world),
    inboxBytes: (world) => store.inboxBytes(world),
    async drop(world) {
      await turn()
      await store.drop(world)
    },
    onCommit: (listener) =>
      store.onCommit((world, written, version) => listener(world, copy(written), version)),
    get unavailable() {
      return store.unavailable
    },
    onRecovered: (listener) => store.onRecovered(listener),
    close: () => store.close(),
  }
}

function copyingView(view: View): View {
  return {
    generation: view.generation,
    revision: (table) => view.revision(table),
    get: (...asked) => copy(view.get(...asked)),
    find: (...asked) => copy(view.find(...asked)),
    newest: (...asked) => copy(view.newest(...asked)),
    count: (...asked) => view.count(...asked),
    walk: (...asked) => copy(view.walk(...asked)),
    rank: (...asked) => view.rank(...asked),
    below: (...asked) => copy(view.below(...asked)),
    since(...asked) {
      const { rows, anew, mark } = view.since(...asked)
      return { rows: copy(rows), anew, mark }
    },
    all: (...asked) => copy(view.all(...asked)),
  }
}

function copyingChange(change: Change): Change {
  return {
    ...copyingView(change),
    insert: (table, row) => change.insert(table, copy(row)),
    put: (table, row) => change.put(table, copy(row)),
    increment: (counter, start) => change.increment(counter, start),
    delete: (table, key) => change.delete(table, key),
  }
}
