import type { Route } from './document.ts'

/** The roles of users whose keys can call operations, strongest first; `none` is a user without a role. */
export const roles = ['owner', 'admin', 'finance', 'viewer', 'none'] as const

/** The role for operations that control the process. */
export const OPERATOR = 'operator'

/**
 * Returns the roles that may call an operation.
 * @throws {Error} If `x-allowed-roles` is missing, empty or contains an unknown role
 */
export function rolesOf({ id, operation }: Route): readonly string[] {
  const allowed = operation['x-allowed-roles']
  const known: readonly string[] = [...roles, OPERATOR]
  if (!allowed?.length || !allowed.every((role) => known.includes(role)))
    throw new Error(
      `${id} must list in x-allowed-roles one or more of ${known.join(', ')}, got ${JSON.stringify(allowed)}`,
    )
  return allowed
}
