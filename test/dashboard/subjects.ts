import { audited } from './audited.ts'
import { budgets } from './budgets.ts'
import { certification } from './certification.ts'
import { checkouts } from './checkouts.ts'
import { frame } from './frame.ts'
import { hardships } from './hardships.ts'
import { busyLists } from './lists.ts'
import { live } from './live.ts'
import { desk } from './desk.ts'
import { bothEngines } from './engines.ts'
import { first } from './first.ts'
import { phones } from './phones.ts'
import { story } from './story.ts'
import { steer } from './steer.ts'
import { wire } from './wire.ts'
import type { Subject } from './checks.ts'
import type { Player } from './server.ts'

/** One more is a file and its place here; `checks.ts` says what is in it. */
export const subjects: readonly Subject[] = [
  first,
  live,
  // Pages.
  steer,
  phones,
  checkouts,
  wire,
  desk,
  audited,
  certification,
  // What holds for all of them.
  bothEngines,
  busyLists,
  frame,
  hardships,
  story,
  budgets,
]

/** Fills a world with something of everything that pages show. Its clock stands still afterwards. */
export async function fillAll(player: Player): Promise<void> {
  // A pending payment stays pending, however long the filling takes.
  await player.world.clock.freeze()
  await player.fill()
  for (const { fill } of subjects) await fill?.(player)
  await player.world.clock.freeze()
}
