/** The role that a request requires, so that requests bound to be rejected are not sent. */

export type Role = 'owner' | 'admin' | 'finance' | 'viewer' | 'none'

/** `read`: any key; `change`: a key that is not read-only; `own`: the key of the owner. */
export type Need = 'read' | 'change' | 'own'

const OWNERS = [
  /^GET \/sandbox\/(api-keys|audit|export|worlds)$/,
  /^(?!GET )\w+ \/sandbox\/(api-keys|import|lease|outbox|reset|snapshots|worlds)(\/|$)/,
  /^DELETE \/sandbox\/requests$/,
]
/** POST requests that only read, and requests without a key. */
const QUESTIONS =
  /^POST \/(sandbox\/(requests\/(count|find)|scenarios\/check|sign-up(\/links)?|inbox\/[^/]+)|api\/(global\/transaction-(status|providers)|currency\/convert))$/

/** @param path - relative to the sandbox's address, without the query */
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

/** Explains why a role does not suffice, or returns undefined. */
export function whyNot(role: Role, need: Need): string | undefined {
  if (enough[need].includes(role)) return undefined
  return need === 'own' && role !== 'viewer' && role !== 'none'
    ? 'Only the owner’s key can do this'
    : 'This key is read-only'
}
