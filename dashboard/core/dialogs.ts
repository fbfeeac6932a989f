import { signal } from '@preact/signals'
import { refused } from './access.ts'

export type DialogName = 'palette' | 'keys' | 'payment' | 'advance' | 'world' | 'share' | 'settle'

export const dialog = signal<DialogName | undefined>()

export function share(): void {
  if (!refused('own')) dialog.value = 'share'
}

export const paymentDraft = signal<{ readonly [field: string]: string }>({})

export function newPayment(draft: { readonly [field: string]: string } = {}): void {
  if (refused('change')) return
  paymentDraft.value = draft
  dialog.value = 'payment'
}

/** The initial text of a new scenario, consumed by the editor. */
export const scenarioDraft = signal<string | undefined>()
