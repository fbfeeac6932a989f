/** The meaning of a colour. */
export type Tone = 'good' | 'bad' | 'wait' | 'info' | 'plain'
