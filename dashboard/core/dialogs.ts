import { signal } from '@preact/signals'
import { refused } from './access.ts'

/** The open dialog. */
export type DialogName = 'palette' | 'keys' | 'payment' | 'advance' | 'world' | 'share' | 'settle'

export const dialog = signal<DialogName | undefined>()

/** Opens the dialog that creates a read-only link. */
export function share(): void {
  if (!refused('own')) dialog.value = 'share'
}

/** Initial values of a new payment. */
export const paymentDraft = signal<{ readonly [field: string]: string }>({})

export function newPayment(draft: { readonly [field: string]: string } = {}): void {
  if (refused('change')) return
  paymentDraft.value = draft
  dialog.value = 'payment'
}

/** The initial text of a new scenario, consumed by the editor. */
export const scenarioDraft = signal<string | undefined>()
