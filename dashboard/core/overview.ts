/** What needs attention in the world, as the sandbox reports it. */
import type { Overview } from '../../src/generated/control/types.ts'
import { SandboxError } from './api.ts'
import { atMostEvery } from './frame.ts'
import { expired, session } from './session.ts'
import { keptInWindow } from './settings.ts'
import { happenings } from './store.ts'
import { computed, effect, signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

export const overview = signal<Overview | undefined>()

/** Milliseconds between two reads. */
const REST = 600

const read = atMostEvery(REST, async () => {
  const now = session.peek()
  if (!now) return
  try {
    const found = await now.client.overview()
    if (session.peek()?.world === now.world) overview.value = found
  } catch (error) {
    if (error instanceof SandboxError && error.status === 401) expired()
  }
})

let world: string | undefined
// The event of any change, and the empty list after a reset, lead to a new report.
effect(() => {
  void happenings.value
  if (session.value?.world !== world) overview.value = undefined
  world = session.value?.world
  if (session.value) read()
})

const totalOf = (kind: 'prompts' | 'kyc' | 'failing_callbacks' | 'rejected_requests') =>
  computed(() => overview.value?.[kind].total ?? 0)

export const prompts = totalOf('prompts')
export const waitingKyc = totalOf('kyc')
export const failingCallbacks = totalOf('failing_callbacks')
export const rejectedRequests = totalOf('rejected_requests')

/** Whether the handset is visible next to the feed. */

const kept = keptInWindow('handset beside', false)

export const handsetBeside = signal(kept.get())

export function showHandset(on: boolean): void {
  kept.set(on)
  handsetBeside.value = on
}

/** Opens the handset for a new prompt, but not again for one that was there when it was closed. */
export function useHandsetAtPrompt(): void {
  const before = useRef(0)
  const many = prompts.value
  useEffect(() => {
    if (many > before.current) handsetBeside.value = true
    before.current = many
  }, [many])
}
