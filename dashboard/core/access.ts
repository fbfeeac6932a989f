/** How far the key of this window goes; every button, key and command asks here. */
import { computed } from '@preact/signals'
import { say } from './notice.ts'
import { type Need, whyNot } from './needs.ts'
import { session } from './session.ts'

export type { Need }

/** Why the window's key may not; undefined when it may. */
export const refusal = (need: Need): string | undefined => {
  const role = session.value?.key.role
  return role && whyNot(role, need)
}

export const mayChange = computed(() => refusal('change') === undefined)
export const mayOwn = computed(() => refusal('own') === undefined)

/** Says why not. @returns whether it is refused */
export function refused(need: Need): boolean {
  const why = refusal(need)
  if (why !== undefined) say(`${why}.`, true)
  return why !== undefined
}
