import { signal } from '@preact/signals'

/** The text of a scenario that another page began, for the editor to go on with. */
export const scenarioDraft = signal<string | undefined>()
