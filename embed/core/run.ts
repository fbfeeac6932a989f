/** A request with its response and callbacks. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ShownSheet } from '../../src/pages/embed/sheet.ts'
import { type Draft, jsonOr, type Target, valueAt } from './draft.ts'
import { type Host, tell } from './host.ts'
import { type Answered, type Arrived, follow, send } from './send.ts'

export type Run =
  | { readonly step: 'idle' }
  | { readonly step: 'sending' }
  | { readonly step: 'failed'; readonly why: string }
  | {
      readonly step: 'answered'
      readonly answered: Answered
      /** Undefined if no callback is expected; empty while waiting for the first one. */
      readonly arrived: readonly Arrived[] | undefined
      readonly waiting: boolean
    }

/** The state and action of a send button. A second request stops waiting for callbacks of the first. */
export function useRun(host: Host, sheet: ShownSheet) {
  const [run, set] = useState<Run>({ step: 'idle' })
  const ending = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => ending.current?.abort(), [])
  const start = async (draft: Draft, target: Target) => {
    ending.current?.abort()
    const { signal } = (ending.current = new AbortController())
    const operation = sheet.id
    set({ step: 'sending' })
    tell(host.element, 'sent', {
      operation,
      method: target.method,
      url: target.url,
      body: target.body === undefined ? null : jsonOr(target.body),
    })
    try {
      const answered = await send(sheet, host.server, target, signal)
      const { status, body, ms, credentials } = answered
      tell(host.element, 'answered', { operation, status, body, ms })
      const reference = referenceIn(sheet, draft, answered)
      const arrived: Arrived[] | undefined = reference === undefined ? undefined : []
      const show = (waiting: boolean) =>
        set({ step: 'answered', answered, arrived: arrived && [...arrived], waiting })
      show(arrived !== undefined)
      if (reference === undefined) return
      await follow(host.server, credentials, reference, signal, (one) => {
        arrived!.push(one)
        show(true)
        tell(host.element, 'callback', { operation, body: one.body, state: one.state })
      }).catch(() => {})
      if (!signal.aborted) show(false)
    } catch (error) {
      if (!signal.aborted) set({ step: 'failed', why: (error as Error).message })
    }
  }
  return { run, start }
}

/** Returns the reference to wait for, or undefined if no callback is expected. */
function referenceIn({ callback }: ShownSheet, { body }: Draft, answered: Answered): string | undefined {
  if (!callback || answered.status >= 300) return undefined
  const wanted = ['callback_url', 'payment_config.callback_url'].some((path) => valueAt(body, path))
  const named = valueAt(answered.body, callback.reference.replaceAll('/', '.'))
  return wanted && typeof named === 'string' ? named : undefined
}
