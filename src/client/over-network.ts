import type { Send } from './transport.ts'

/** Requests to a sandbox that runs elsewhere. @throws TypeError where none answers, as fetch does */
export const overNetwork: Send = async (request) => {
  try {
    return await fetch(request)
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } }
    if (cause?.code !== 'ECONNREFUSED') throw error
    const { origin } = new URL(request.url)
    throw new TypeError(`no sandbox answers at ${origin}: start one there, or correct the address`, {
      cause: error,
    })
  }
}
