import type { Send } from './transport.ts'

/** What to do about it, by why nothing answers. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'start one there, or correct the address',
  ENOTFOUND: 'there is no such host; correct the address',
  EAI_AGAIN: 'there is no such host; correct the address',
  'bad port': 'HTTP clients refuse this port; give the sandbox another',
}

function codeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: string; readonly message?: string } }
  return cause?.code ?? cause?.message ?? ''
}

/** Requests to a sandbox that runs elsewhere. @throws TypeError where none answers, as fetch does */
export const overNetwork: Send = async (request) => {
  try {
    return await fetch(request)
  } catch (error) {
    const why = reasons[codeOf(error)]
    if (why === undefined) throw error
    const { origin } = new URL(request.url)
    throw new TypeError(`no sandbox answers at ${origin}: ${why}`, { cause: error })
  }
}
