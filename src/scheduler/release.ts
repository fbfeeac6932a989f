import { releaseHeld } from '../domain/prompts.ts'
import type { World } from '../worlds/world.ts'

/** Lets payments of a world settle by themselves that nobody is waited for any more. */
export async function releasePayments(world: World): Promise<void> {
  for (;;) if (!(await world.change(releaseHeld))) return
}
