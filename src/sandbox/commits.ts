import type { Store } from '../storage/store/store.ts'

export type CommitListener = Parameters<Store['onCommit']>[0]

/** Those who hear of what the store has kept, until they are all told to stop. */
export interface Commits {
  listen(listener: CommitListener): void
  stop(): void
}

export function commitsOf(store: Store): Commits {
  const stops: (() => void)[] = []
  return {
    listen: (listener) => void stops.push(store.onCommit(listener)),
    stop() {
      for (const stop of stops) stop()
    },
  }
}
