import type { Writer } from './process.ts'
import { safe } from './safe.ts'

/** Tells a person in lines, or a program in a JSON object a line. */
export interface Teller {
  readonly colours: boolean
  /** @param fact the same for a program; without it, it is for people alone */
  say(text: string, fact?: object): void
  /** Whether nobody reads it any more. */
  gone(): boolean
}

export const tellerTo = (out: Writer, json: boolean): Teller => ({
  colours: out.colours,
  gone: () => out.gone?.aborted === true,
  say(text, fact) {
    if (!json) out.write(`${safe(text)}\n`)
    else if (fact) out.write(`${JSON.stringify(fact)}\n`)
  },
})
