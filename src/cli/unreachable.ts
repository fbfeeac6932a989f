type Failure = Error & { code?: string }

/** Why no sandbox answers at `url`, and what to do about it. */
export function unreachable(error: unknown, url: string): string {
  const reason = reasonOf(error, url)
  return reason === refusedBy(url) ? `${reason}; start a sandbox there, or name the address of one` : reason
}

const refusedBy = (url: string) => `nothing listens at ${url}`

/** Why no answer came from `url`, in words. */
export function reasonOf(error: unknown, url: string): string {
  // What the library throws has what fetch threw behind it.
  const { cause: inner } = error as { cause?: Failure & { cause?: Failure } }
  const { name, message, code, cause } = (inner?.cause ? inner : error) as Failure & { cause?: Failure }
  if (name === 'TimeoutError' || (cause ?? (error as Failure)).name === 'TimeoutError')
    return `${url} does not answer in time`
  // Fetch never calls the ports that its standard keeps for other protocols, and has no code for it.
  if (cause?.message === 'bad port')
    return `${url}: port ${new URL(url).port} cannot be used, HTTP clients refuse it; give an address with another, such as http://127.0.0.1:8080`
  switch (cause?.code ?? code) {
    case 'ECONNREFUSED':
      return refusedBy(url)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `no such host: ${url}`
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return `${url} speaks no TLS; begin the address with http://`
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
      return `${url} closed the connection`
  }
  return `${url}: ${cause?.message || message}`
}
