import type {
  SignatureDiagnosis,
  SignatureHeader,
  SignatureMistake,
} from '../../../generated/control/types.ts'

export interface CheckInput {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The body as the receiver used it. */
  readonly body: Buffer | string
  /** The secret as the receiver used it. */
  readonly secret: string
  /** The arrival time of the callback in seconds. */
  readonly nowSeconds: number
  /** `POST` when not given; only rfc9421 and some custom templates need it. */
  readonly method?: string | undefined
  /** Only rfc9421 and some custom templates need it. */
  readonly url?: string | undefined
  /** Bodies that the sandbox sent, to distinguish a changed body from a wrong secret. */
  readonly sentBodies?: readonly string[] | undefined
}

export type MistakeCode =
  | 'missing-header'
  | 'missing-input'
  | 'malformed-signature'
  | 'wrong-mark'
  | 'wrong-encoding'
  | 'wrong-algorithm'
  | 'wrong-content'
  | 'wrong-key-form'
  | 'wrong-secret'
  | 'secret-whitespace'
  | 'secret-base64url'
  | 'milliseconds'
  | 'timestamp-format'
  | 'stale'
  | 'future'
  | 're-serialised'
  | 'trailing-newline'
  | 'byte-order-mark'
  | 'line-endings'
  | 'body-changed'

export interface Mistake extends SignatureMistake {
  readonly code: MistakeCode
}

export interface Diagnosis extends SignatureDiagnosis {
  readonly mistakes: readonly Mistake[]
}

export function diagnose(
  profile: string,
  mistakes: readonly Mistake[],
  found: { received: SignatureHeader | null; expected?: SignatureHeader | null; signed?: Buffer | null },
): Diagnosis {
  const { received, expected = null, signed = null } = found
  return {
    profile,
    valid: mistakes.length === 0,
    received,
    expected,
    signed: signed && { text: signed.toString('utf8'), base64: signed.toString('base64') },
    mistakes,
  }
}

export function mistake(code: MistakeCode, message: string): Mistake {
  return { code, message }
}

export function missingHeaders(names: readonly string[]): Mistake[] {
  return names.map((name) => mistake('missing-header', `the header ${name} is missing`))
}

/** Returns a header by its case-insensitive name. Several values are joined. */
export function headerOf({ headers }: Pick<CheckInput, 'headers'>, name: string): string | null {
  const wanted = name.toLowerCase()
  for (const [each, value] of Object.entries(headers)) {
    if (each.toLowerCase() === wanted && value !== undefined) {
      return typeof value === 'string' ? value : value.join(', ')
    }
  }
  return null
}
