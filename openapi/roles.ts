import type { Route } from './document.ts'

/** Whose key may call an operation: by the role of its user, strongest first; `none` is a user without any. */
export const roles = ['owner', 'admin', 'finance', 'viewer', 'none'] as const

/** Who may call what steers the process. */
export const OPERATOR = 'operator'

/**
 * The roles that an operation is for.
 * @throws Error when it does not say so in `x-allowed-roles`, or with words that are none
 */
export function rolesOf({ id, operation }: Route): readonly string[] {
  const allowed = operation['x-allowed-roles']
  const known: readonly string[] = [...roles, OPERATOR]
  if (!allowed?.length || !allowed.every((role) => known.includes(role)))
    throw new Error(
      `${id} must say in x-allowed-roles whose keys may call it: one or more of ${known.join(', ')}, got ${JSON.stringify(allowed)}`,
    )
  return allowed
}
