import type { z } from 'zod'
import { shown } from '../lib/text/shown.ts'
import { issuesOf } from '../lib/text/validation-messages.ts'
import { acceptedBy } from './schemas.ts'

/** A setting that an environment variable controls. */
export interface Setting {
  readonly variable: string
  /** A variable with a general name, used if `variable` is not set. It may be meant for other programs as well. */
  readonly general?: {
    readonly variable: string
    /** Whether to ignore invalid values. */
    readonly lenient?: true
  }
  /** The description in docs/settings.md. */
  readonly about: string
  /** Parses the text of the variable. */
  readonly schema: () => z.ZodType<unknown, string>
  /** The default as the text of the variable; null for none. */
  readonly fallback: string | null
  /** The default with SANDBOX_MODE=hosted, if that differs. */
  readonly hosted?: string
  /** Whether the value must not be shown. */
  readonly secret?: true
}

export type ValueOf<Each extends Setting> =
  | z.output<ReturnType<Each['schema']>>
  | (Each['fallback'] extends null ? null : never)

/** Parses the text of a setting, or returns an error message. @param variable - The variable with the text. */
export function readSetting(
  { variable: own, schema: made, secret }: Setting,
  text: string,
  variable = own,
): { readonly value: unknown } | { readonly message: string } {
  const schema = made()
  const { success, data, error } = schema.safeParse(text)
  if (success) return { value: data }
  // The message is about the whole text, even if only a part is invalid.
  const whole =
    schema.safeParse(text, { reportInput: true, error: () => `must be ${acceptedBy(schema)}` }).error ?? error
  const [issue] = issuesOf(whole, {
    name: () => variable,
    shown: () => (secret ? '[redacted]' : shown(text)),
  }).told
  return { message: issue!.message }
}
