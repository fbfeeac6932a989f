import { releaseHeld } from '../service/domain/prompts.ts'
import type { World } from '../worlds/world.ts'

/** Lets payments settle by themselves that were held for a payer whom nobody waits for any more. */
export async function releasePayments(world: World): Promise<void> {
  for (;;) if (!(await world.change(releaseHeld))) return
}
