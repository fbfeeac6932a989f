import { signal } from '@preact/signals'

/** The text that a new scenario begins with, such as one made of a request; taken by the editor when it opens. */
export const scenarioDraft = signal<string | undefined>()
