import { styleText } from 'node:util'
import type { Process, Writer } from './process.ts'

/** The exit codes of the command line; docs/command-line.md and `--help` list the same. */
export const exitCodes = {
  done: 0,
  /** The answer is no: not healthy, a rejected request, a check or a receiver that failed. */
  no: 1,
  /** Invalid arguments or configuration. */
  usage: 2,
  /** The sandbox could not start: a port in use, a file that is missing or broken. */
  start: 3,
  /** No sandbox answers at the address. */
  unreachable: 4,
} as const

/** Prints lines for a person, or a JSON object a line for a program. */
export interface Output {
  readonly colours: boolean
  /** @param fact the same for a program; if omitted, the text is for people alone */
  say(text: string, fact?: object): void
  /** Whether the reader has gone away. */
  gone(): boolean
}

export const outputTo = (out: Writer, json: boolean): Output => ({
  colours: out.colours,
  gone: () => out.gone?.aborted === true,
  say(text, fact) {
    if (!json) out.write(`${safe(text)}\n`)
    else if (fact) out.write(`${JSON.stringify(fact)}\n`)
  },
})

/** Characters that control a terminal or reverse the order of letters: all but colours, tabs and line feeds. */
const controls =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\u001b(?!\[\d+m)/g

/** Returns a foreign text that a terminal may show: it could otherwise move the cursor or imitate other output. */
export const safe = (text: string): string =>
  text.replace(controls, (sign) => `\\u${sign.codePointAt(0)!.toString(16).padStart(4, '0')}`)

type Style = Parameters<typeof styleText>[0]

/** Puts text in a style, or leaves it as it is without colours. */
export type Paint = (style: Style, text: string) => string

export const painter =
  (colours: boolean): Paint =>
  (style, text) =>
    colours ? styleText(style, text, { validateStream: false }) : text

/** Ends a command that has printed a document: half of it would pass for the whole. @returns the exit code */
export async function printed({ out, err }: Process, code: number = exitCodes.done): Promise<number> {
  const lost = await out.lost?.()
  if (!lost) return code
  err.write(
    `What was printed is not whole: ${lost.message}. Make room, or print it elsewhere, and try again.\n`,
  )
  return exitCodes.no
}
