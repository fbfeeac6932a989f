import { Listeners, type OnError, surfaceError } from '../../../lib/listeners.ts'
import type { SharedSettings } from '../settings.ts'

/** What is set as long as the process lives. */
export function createMemorySettings(onError: OnError = surfaceError): SharedSettings {
  const values = new Map<string, unknown>()
  const listeners = new Listeners<[name: string, value: unknown]>((error, setting) =>
    onError(error, { of: 'settings', setting }),
  )
  return {
    get: (name) => values.get(name),
    async look() {},
    async change(name, work) {
      const value = work(values.get(name))
      values.set(name, value)
      listeners.tell(name, value)
    },
    onChanged: (listener) => listeners.add(listener),
  }
}
