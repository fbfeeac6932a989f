import type { Caller } from '../domain/context.ts'
import { ServiceError } from '../domain/errors.ts'
import type { World } from '../worlds/world.ts'

/** Lets only the world's owner go on. @throws ServiceError 403 */
export async function requireOwner(world: World, { user_id }: Caller): Promise<void> {
  const user = await world.read(({ rows }) => rows.get('users', user_id))
  if (user?.is_admin) return
  throw new ServiceError(
    'permission_denied',
    `only the owner of the world may do this; user ${user_id} is not`,
  )
}
