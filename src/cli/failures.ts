import { SandboxError } from '../client/transport.ts'
import { ConfigError } from '../config/config.ts'
import { exitCodes, safe } from './output.ts'
import type { Process } from './process.ts'

/** A command that failed. The message is for the user. */
export class Refusal extends Error {
  readonly code: number
  /** A stable code for programs. */
  readonly errorCode: string
  constructor(
    message: string,
    code: number = exitCodes.no,
    errorCode = code === exitCodes.usage ? 'invalid_argument' : 'failed',
  ) {
    super(message)
    this.code = code
    this.errorCode = errorCode
  }
}

/** No sandbox answers, or it rejects the credentials. The message is for the user. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  /** Whether the sandbox rejected the credentials. */
  readonly refused: boolean
  constructor(message: string, refused = false) {
    super(message)
    this.refused = refused
  }
}

/** Prints why a command failed, for a program as a JSON object. @returns The exit code. @throws All unexpected errors. */
export function failed({ err }: Process, error: unknown, json: boolean): number {
  const known = outcome(error)
  if (!known) throw error
  const { message, code, error_code } = known
  err.write(json ? `${JSON.stringify({ kind: 'error', message, code, error_code })}\n` : `${safe(message)}\n`)
  return code
}

/** Returns the message, the exit code and the code for programs of an expected error. */
function outcome(error: unknown) {
  const { message } = error as Error
  if (error instanceof ConfigError) return { message, code: exitCodes.usage, error_code: 'invalid_setting' }
  if (error instanceof ClientError)
    return error.refused
      ? { message, code: exitCodes.no, error_code: 'unauthenticated' }
      : { message, code: exitCodes.unreachable, error_code: 'unreachable' }
  if (error instanceof Refusal) return { message, code: error.code, error_code: error.errorCode }
  // Errors of a sandbox have a code.
  if (error instanceof SandboxError && error.code === '')
    return { message: `${message}: is it a sandbox?`, code: exitCodes.unreachable, error_code: 'unreachable' }
  if (error instanceof SandboxError)
    return { message: error.body.error_message ?? message, code: exitCodes.no, error_code: error.code }
  return undefined
}

/** Returns undefined for a missing resource. @throws All other errors. */
export function unlessUnknown(error: unknown): undefined {
  if (error instanceof SandboxError && error.status === 404) return
  throw error
}

type Failure = Error & { code?: string }

/** Describes why no sandbox answers at `url`, with advice. */
export function unreachable(error: unknown, url: string): string {
  const reason = reasonOf(error, url)
  return reason === refusedBy(url)
    ? `${reason}; start a sandbox there, or pass its address with --url`
    : reason
}

const refusedBy = (url: string) => `nothing listens at ${url}`

/** Describes why `url` did not respond. */
export function reasonOf(error: unknown, url: string): string {
  // The client keeps the error of fetch as the cause of its own.
  const { cause: inner } = error as { cause?: Failure & { cause?: Failure } }
  const { name, message, code, cause } = (inner?.cause ? inner : error) as Failure & { cause?: Failure }
  if (name === 'TimeoutError' || (cause ?? (error as Failure)).name === 'TimeoutError')
    return `${url} does not respond in time`
  // fetch rejects ports reserved for other protocols without an error code.
  if (cause?.message === 'bad port')
    return `${url}: port ${new URL(url).port} cannot be used because HTTP clients reject it; use another, such as http://127.0.0.1:8080`
  switch (cause?.code ?? code) {
    case 'ECONNREFUSED':
      return refusedBy(url)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `no such host: ${url}`
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return `${url} does not support TLS; use http://`
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
      return `${url} closed the connection`
  }
  return `${url}: ${cause?.message || message}`
}
