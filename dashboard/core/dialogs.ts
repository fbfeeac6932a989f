import { signal } from '@preact/signals'

/** Which dialog is open; pages and keys open them, the frame shows them. */
export type DialogName = 'palette' | 'keys' | 'payment' | 'advance' | 'world'

export const dialog = signal<DialogName | undefined>()

/** What a new payment begins with. */
export const paymentDraft = signal<{ readonly [field: string]: string }>({})

export function newPayment(draft: { readonly [field: string]: string } = {}): void {
  paymentDraft.value = draft
  dialog.value = 'payment'
}
