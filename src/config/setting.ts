import type { z } from 'zod'
import { shown } from '../lib/text/shown.ts'
import { issuesOf } from '../lib/text/validation-messages.ts'
import { acceptedBy } from './schemas.ts'

/** One thing that the process is told by a variable of its environment. */
export interface Setting {
  readonly variable: string
  /** A variable of a general name that says the same where this one is not set; pipelines hand such on for other programs too. */
  readonly general?: GeneralName
  /** One line for the reader of docs/settings.md. */
  readonly about: string
  /** Reads the variable's text. */
  readonly schema: () => z.ZodType<unknown, string>
  /** What an absent or empty variable means, as it would be written there; null: nothing is set. */
  readonly fallback: string | null
  /** The same with SANDBOX_MODE=hosted, where it is another. */
  readonly hosted?: string
  /** The value is never shown. */
  readonly secret?: true
}

export interface GeneralName {
  readonly variable: string
  /** A value that is not accepted was meant for another program, and counts as none. */
  readonly lenient?: true
}

/** What a setting is once it is read. */
export type ValueOf<Each extends Setting> =
  | z.output<ReturnType<Each['schema']>>
  | (Each['fallback'] extends null ? null : never)

/**
 * The value that a text stands for, or what is wrong with it in words.
 * @param variable that has the text
 */
export function readSetting(
  { variable: own, schema: made, secret }: Setting,
  text: string,
  variable = own,
): { readonly value: unknown } | { readonly message: string } {
  const schema = made()
  const { success, data, error } = schema.safeParse(text)
  if (success) return { value: data }
  // What is wrong with a part of it is told of the whole: that is what somebody wrote.
  const whole =
    schema.safeParse(text, { reportInput: true, error: () => `must be ${acceptedBy(schema)}` }).error ?? error
  const [issue] = issuesOf(whole, {
    name: () => variable,
    shown: () => (secret ? '[redacted]' : shown(text)),
  }).told
  return { message: issue!.message }
}
