/** To add a profile, write its module in `profiles/` and add it to `profiles/profiles.ts`. Everything else follows from there. */
import type { ZodType } from 'zod'
import type { CheckInput, Diagnosis } from './doctor/diagnosis.ts'
import type { SigningKeys } from './secrets.ts'

/** One attempt of a callback, before it is signed. */
export interface CallbackRequest {
  /** The event's id, which is the same for every attempt. */
  readonly id: string
  /** Real time in whole seconds, which receivers compare with their clocks. */
  readonly timestampSeconds: number
  readonly method: string
  /** The address after rewriting. */
  readonly url: string
  /** Signed and sent as it is. */
  readonly body: Buffer | string
  readonly contentType: string
}

export type SignatureHeaders = Record<string, string>

/** @typeParam Settings - The settings of a world for this profile, with its name. */
export interface SignatureProfile<Settings extends { readonly profile: string }> {
  readonly name: Settings['profile']
  /** The row in docs/signatures.md, as Markdown. */
  readonly about: {
    readonly headers: string
    readonly signed: string
    readonly key: string
    readonly form: string
  }
  /** The settings if only the name is given; null if that is not enough. */
  readonly defaults: Settings | null
  /** Other common settings, so that the doctor recognises their headers. */
  readonly alsoUsual?: readonly Settings[]
  /** The JSON form of the settings, for profiles that need more than a value. */
  readonly described?: {
    schema(): ZodType<Settings>
    readonly example: string
  }
  /** Parses the value of `name:value`; returns undefined for an invalid one. */
  set?(value: string): Settings | undefined
  /** Checks settings beyond their schema. @throws Error */
  requireSound?(settings: Settings): void
  /** The headers that it writes, beginning with the one that contains the signature. */
  headers(settings: Settings): readonly string[]
  sign(request: CallbackRequest, keys: SigningKeys, settings: Settings): SignatureHeaders
  /** Diagnoses a request, or returns null if it has no such signature. */
  check(input: CheckInput, settings: Settings): Diagnosis | null
}

export function bodyBytes(body: Buffer | string): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'utf8') : body
}

/** Joins `{part}.{part}.{body}` without decoding the body. */
export function dotted(parts: readonly (string | number)[], body: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(parts.map((part) => `${part}.`).join(''), 'utf8'), bodyBytes(body)])
}
