import { signal } from '@preact/signals'
import { refused } from './access.ts'

/** Which dialog is open; pages and keys open them, the frame shows them. */
export type DialogName = 'palette' | 'keys' | 'payment' | 'advance' | 'world'

export const dialog = signal<DialogName | undefined>()

/** What a new payment begins with. */
export const paymentDraft = signal<{ readonly [field: string]: string }>({})

export function newPayment(draft: { readonly [field: string]: string } = {}): void {
  if (refused('change')) return
  paymentDraft.value = draft
  dialog.value = 'payment'
}
