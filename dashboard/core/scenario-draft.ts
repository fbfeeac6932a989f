import { signal } from '@preact/signals'

/** The initial text of a new scenario, consumed by the editor. */
export const scenarioDraft = signal<string | undefined>()
