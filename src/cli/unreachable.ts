/** Why no answer came from `url`, in words. */
export function reasonOf(error: unknown, url: string): string {
  const { name, message, cause } = error as Error & { cause?: Error & { code?: string } }
  if (name === 'TimeoutError') return `${url} does not answer in time`
  switch (cause?.code) {
    case 'ECONNREFUSED':
      return `nothing listens at ${url}`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `no such host: ${url}`
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
      return `${url} closed the connection`
  }
  return `${url}: ${cause?.message || message}`
}
