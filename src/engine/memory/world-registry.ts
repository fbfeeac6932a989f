import type { LowStore } from '../../store/low-store.ts'
import type { WorldRegistry } from '../world-registry.ts'

/** The worlds of a store in this process. */
export function registryOf(store: LowStore): WorldRegistry {
  const lastUsed = new Map<string, number>()
  store.onWorld((name, event) => {
    if (event === 'dropped') lastUsed.delete(name)
  })
  return {
    names: () => store.worlds(),
    has: async (name) => store.has(name),
    create: (name, rows) => store.create(name, rows),
    drop: (name) => store.drop(name),
    // What it has is nowhere else.
    forget: () => false,
    used(name, at) {
      if (at > (lastUsed.get(name) ?? -Infinity)) lastUsed.set(name, at)
    },
    lastUsed: async (name) => lastUsed.get(name),
    onChanged: (listener) => store.onWorld(listener),
  }
}
