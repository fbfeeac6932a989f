/** What a key has to be for a request, so that one that would be refused is never sent. */

export type Role = 'owner' | 'admin' | 'finance' | 'viewer' | 'none'

/** `read`: any key; `change`: one that may do more than read; `own`: that of the world's owner. */
export type Need = 'read' | 'change' | 'own'

const OWNERS = [
  /^GET \/sandbox\/(api-keys|audit|export|worlds)$/,
  /^(?!GET )\w+ \/sandbox\/(api-keys|import|lease|outbox|reset|snapshots|worlds)(\/|$)/,
  /^DELETE \/sandbox\/requests$/,
]
/** Questions that are put in a body, and what needs no key. */
const QUESTIONS =
  /^POST \/(sandbox\/(requests\/(count|find)|scenarios\/check|sign-up|inbox\/[^/]+)|api\/(global\/transaction-(status|providers)|currency\/convert))$/

/** @param path below the sandbox's own address, without its query */
export function needOf(method: string, path: string): Need {
  const asked = `${method} ${path}`
  if (OWNERS.some((each) => each.test(asked))) return 'own'
  if (asked === 'GET /sandbox/signing-secret') return 'change'
  return method === 'GET' || QUESTIONS.test(asked) ? 'read' : 'change'
}

const enough: { readonly [need in Need]: readonly Role[] } = {
  read: ['owner', 'admin', 'finance', 'viewer', 'none'],
  change: ['owner', 'admin', 'finance'],
  own: ['owner'],
}

/** Why a key of this role may not, in words for its owner; undefined when it may. */
export function whyNot(role: Role, need: Need): string | undefined {
  if (enough[need].includes(role)) return undefined
  return need === 'own' && role !== 'viewer' && role !== 'none'
    ? 'Only the key of the world’s owner may do this'
    : 'This key may only look'
}
