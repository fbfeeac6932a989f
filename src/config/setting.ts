import { redacted } from '../lib/log/redact.ts'
import { shown } from '../lib/text/shown.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import type { Reader } from './readers.ts'

export type Environment = Readonly<Record<string, string | undefined>>

interface DeclaredSetting {
  /** A variable with a general name, used if the setting's own is not set. It may be meant for other programs as well. */
  readonly general?: {
    readonly variable: string
    /** Whether to ignore invalid values. */
    readonly lenient?: true
  }
  /** The description in docs/settings.md. */
  readonly about: string
  readonly reads: Reader<unknown>
  /** The default as the text of the variable, if there is one. */
  readonly fallback?: string
  /** The default with SANDBOX_MODE=hosted, if that differs. */
  readonly hosted?: string
  /** Whether the value must not be shown. */
  readonly secret?: true
}

/** A setting that an environment variable controls. */
export interface Setting extends DeclaredSetting {
  readonly variable: string
}

export type ValueOf<Each extends DeclaredSetting> =
  | (Each['reads'] extends Reader<infer Value> ? Value : never)
  | (Each extends { readonly fallback: string } ? never : null)

/** Adds the variables to a table of settings: that of `retrySpeed` is `SANDBOX_RETRY_SPEED`. */
export function named<const Table extends { readonly [name: string]: DeclaredSetting }>(table: Table) {
  const variableOf = (name: string) => `SANDBOX_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`
  const entries = Object.entries(table).map(([name, each]) => [name, { variable: variableOf(name), ...each }])
  return Object.fromEntries(entries) as {
    readonly [Name in keyof Table]: Table[Name] & { readonly variable: string }
  }
}

/** Parses the text of a setting, or returns an error message. @param variable - The variable with the text. */
export function readSetting(
  { variable: own, reads: { accepts, words = [], read }, secret }: Setting,
  text: string,
  variable = own,
): { readonly value: unknown } | { readonly message: string } {
  const value = read(text)
  if (value !== undefined) return { value }
  const got = secret ? redacted : shown(text) + didYouMean(text, words)
  return { message: `${variable} must be ${accepts}, got ${got}` }
}
