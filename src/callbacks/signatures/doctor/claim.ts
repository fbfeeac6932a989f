/** What a request claims that is signed with an HMAC, in the form of its profile. */
import { bodyBytes } from '../profile.ts'

export interface Claim {
  readonly profile: string
  /** The header of the signature, as the profile spells it. */
  readonly header: string
  readonly received: string | null
  /** What the profile puts before each signature. */
  readonly mark: string
  /** The signatures, with whatever mark was found before them. */
  readonly signatures: readonly { readonly mark: string; readonly text: string }[]
  readonly algorithm: 'sha1' | 'sha256' | 'sha512'
  readonly encoding: 'hex' | 'base64' | 'base64url'
  readonly key: 'utf8' | 'base64'
  /** Null: the profile has none. */
  readonly timestamp: string | null
  readonly id: string | null
  readonly timeChecks: 'both' | 'past' | 'none'
  /** Whether `content` takes a timestamp in any form; in whole seconds alone when it does not. */
  readonly signsTimeAsText: boolean
  readonly missing: readonly string[]
  /** The bytes to sign, from a timestamp and a body. */
  readonly content: (timestamp: string, body: Buffer | string) => Buffer
  /** The header's value for a signature. */
  readonly value: (signature: string, timestamp: string) => string
}

/** The claim of a profile that signs the body and nothing else, in hex. */
export function bodyOnly(
  profile: string,
  header: string,
  received: string,
  algorithm: Claim['algorithm'],
): Claim {
  return {
    profile,
    header,
    received,
    mark: '',
    signatures: [{ mark: '', text: received }],
    algorithm,
    encoding: 'hex',
    key: 'utf8',
    timestamp: null,
    id: null,
    timeChecks: 'none',
    signsTimeAsText: true,
    missing: [],
    content: (_, body) => bodyBytes(body),
    value: (text) => text,
  }
}

/** Parts a signature from the mark before it, where there is one. */
export function splitMark(mark: RegExp): (text: string) => { mark: string; text: string } {
  return (text) => {
    const found = mark.exec(text)?.[0] ?? ''
    return { mark: found.replace('v1:', 'v1,'), text: text.slice(found.length) }
  }
}

/** The names of what is not there or empty. */
export function missingOf(values: Readonly<Record<string, string | null>>): string[] {
  return Object.keys(values).filter((name) => !values[name])
}
