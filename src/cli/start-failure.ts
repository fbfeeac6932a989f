import { ConfigError } from '../config/config.ts'
import { exitCodes } from './exit-codes.ts'

interface Failure {
  readonly line: string
  readonly code: number
}

type SystemError = Error & {
  code?: string
  port?: number
  address?: string
  hostname?: string
  path?: string
}

/** What stopped the start and what to do about it; a fault of the program itself is shown with its trace. */
export function startFailure(thrown: unknown): Failure {
  const error = thrown as SystemError
  if (error instanceof ConfigError) return { line: error.message, code: exitCodes.usage }
  return { line: known(error) ?? unknown(error), code: exitCodes.start }
}

function known({ code, port, address, hostname, path }: SystemError): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use. Set SANDBOX_PORT (--port) to another one, or to 0 for any free one.`
    case 'EADDRNOTAVAIL':
      return `This machine has no address ${address}. Set SANDBOX_HOST (--host) to one it has, such as 127.0.0.1, or to 0.0.0.0 for all.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `SANDBOX_HOST (--host, or HOST) is "${hostname}", a name that leads to no address. Set SANDBOX_HOST to an address of this machine, such as 127.0.0.1.`
    case 'EACCES':
      if (port)
        return `Port ${port} may not be opened by this user. Set SANDBOX_PORT (--port) to one above 1023.`
      break
    case 'ENOENT':
      if (path) return `There is no file ${path}. Name one that exists.`
      break
  }
  return undefined
}

/** A plain Error was thrown with its reader in mind; the language's own kinds were not. */
function unknown(error: SystemError): string {
  const fault = [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind)
  return (fault ? error.stack : error.message) ?? String(error)
}
