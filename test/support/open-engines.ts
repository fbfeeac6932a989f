import type { Engine } from '../../src/storage/engine/engine.ts'

const open = new Set<Engine>()

/** Has an engine closed when the tests of its file are over; to close it before is no fault. */
export function closedLater(engine: Engine): Engine {
  open.add(engine)
  return engine
}

/** Closes those of the file whose tests are over: one that is left goes on asking its database, amid the tests of the next. */
export async function closeEngines(): Promise<void> {
  await Promise.all([...open].map((engine) => engine.close()))
  open.clear()
}
