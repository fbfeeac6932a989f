/** Why a receiver could not be reached, in words that say what to look at. */
export function inPlainWords(error: Error & { code?: string }, url: string): string {
  const target = targetOf(url)
  switch (error.code) {
    case 'ECONNREFUSED':
      return `connection refused: nothing listens at ${target}`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name in ${target} does not resolve`
    case 'ECONNRESET':
      return `${target} closed the connection without an answer`
    case 'ETIMEDOUT':
    case 'ABORT_ERR':
      return `${target} did not answer within the time limit`
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `${target} cannot be reached from here`
    case 'ERR_INVALID_URL':
      return `"${url}" is not a URL`
    case 'ERR_INVALID_PROTOCOL':
      return `"${url}" must begin with http:// or https://`
    default:
      return `${target}: ${error.message}`
  }
}

const targetOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url)
