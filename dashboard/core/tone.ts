/** How something is meant: all is well, it went wrong, it waits, it is to be known, or none of these. */
export type Tone = 'good' | 'bad' | 'wait' | 'info' | 'plain'
