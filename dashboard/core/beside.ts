/** Whether the handset is visible next to the feed. */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { keptInWindow } from './storage.ts'
import { prompts } from './overview.ts'

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
