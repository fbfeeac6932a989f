/**
 * A profile is a way to sign a callback. To add one, write its module in `profiles/` and give it a row in
 * `profiles/profiles.ts`: settings, the doctor and the documentation follow from there.
 */
import type { ZodType } from 'zod'
import type { CheckInput, Diagnosis } from './doctor/diagnosis.ts'
import type { SigningKeys } from './secrets.ts'

/** One attempt of a callback, before it is signed. */
export interface CallbackRequest {
  /** The event's id: the same for every attempt. */
  readonly id: string
  /** When the attempt is made, whole seconds of the wall clock (receivers compare it with theirs). */
  readonly timestampSeconds: number
  readonly method: string
  /** The address as it is called, after rewriting. */
  readonly url: string
  /** The bytes that are sent: serialised once, signed and sent as they are. */
  readonly body: Buffer | string
  readonly contentType: string
}

/** Headers to add to the request. */
export type SignatureHeaders = Record<string, string>

/** @typeParam Settings what a world sets about it, with the profile's name */
export interface SignatureProfile<Settings extends { readonly profile: string }> {
  readonly name: Settings['profile']
  /** Its row in docs/signatures.md, Markdown; `–` where there is nothing to say. */
  readonly about: {
    readonly headers: string
    readonly signed: string
    readonly key: string
    readonly form: string
  }
  /** What the name alone stands for; null where a name does not say enough. */
  readonly defaults: Settings | null
  /** Beside the defaults: what receivers of other services expect, so that the doctor knows their headers too. */
  readonly alsoUsual?: readonly Settings[]
  /** How a JSON list describes it, where a name does not say enough. */
  readonly described?: {
    schema(): ZodType<Settings>
    readonly example: string
  }
  /** What `name:value` stands for; undefined where the profile has no such value. */
  set?(value: string): Settings | undefined
  /** Looks at settings beyond their schema. @throws Error that says what is wrong */
  requireSound?(settings: Settings): void
  /** The headers it writes, the one that holds the signature first. */
  headers(settings: Settings): readonly string[]
  /** Pure, but for the number that ECDSA draws. */
  sign(request: CallbackRequest, keys: SigningKeys, settings: Settings): SignatureHeaders
  /** What the doctor finds in a request; null when nothing in it claims to be signed in this way. */
  check(input: CheckInput, settings: Settings): Diagnosis | null
}

/** The bytes of a body; a string is UTF-8. */
export function bodyBytes(body: Buffer | string): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'utf8') : body
}

/** `{part}.{part}.{body}` without ever decoding the body. */
export function dotted(parts: readonly (string | number)[], body: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(parts.map((part) => `${part}.`).join(''), 'utf8'), bodyBytes(body)])
}
