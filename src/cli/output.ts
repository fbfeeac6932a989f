import { styleText } from 'node:util'
import type { Process, Writer } from './process.ts'

/** The exit codes of the command line; docs/command-line.md and `--help` list the same. */
export const exitCodes = {
  done: 0,
  /** An unhealthy sandbox, a rejected request, a failed check or receiver. */
  no: 1,
  /** Invalid arguments or configuration. */
  usage: 2,
  /** The sandbox could not start: a port in use, a missing or broken file. */
  start: 3,
  /** No sandbox answers at the address. */
  unreachable: 4,
} as const

/** Prints lines for a person, or one JSON object per line for a program. */
export interface Output {
  readonly colours: boolean
  /** @param fact - The object for programs; if omitted, programs get nothing. */
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

/** Escapes foreign text, which could otherwise move the cursor or imitate other output. */
export const safe = (text: string): string =>
  text.replace(controls, (sign) => `\\u${sign.codePointAt(0)!.toString(16).padStart(4, '0')}`)

/** Styles text if the terminal supports colours. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string

export const painter =
  (colours: boolean): Paint =>
  (style, text) =>
    colours ? styleText(style, text, { validateStream: false }) : text

/** Reports a truncated document, which could pass for a whole one. @returns The exit code. */
export async function printed({ out, err }: Process, code: number = exitCodes.done): Promise<number> {
  const lost = await out.lost?.()
  if (!lost) return code
  err.write(
    `The output is incomplete: ${lost.message}. Free some space or choose another destination, and try again.\n`,
  )
  return exitCodes.no
}
