import type { Locks } from '../locks.ts'

/** Among the sandboxes of one process. */
export function createMemoryLocks(): Locks {
  /** For which time each work was begun last. */
  const begun = new Map<string, number>()
  return {
    async runOnce(name, due_at, work) {
      if ((begun.get(name) ?? -Infinity) >= due_at) return false
      begun.set(name, due_at)
      await work()
      return true
    },
  }
}
