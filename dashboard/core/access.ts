/** The permissions of this window's key, which every button, key and command checks. */
import { computed } from '@preact/signals'
import { say } from './notice.ts'
import { type Need, whyNot } from './needs.ts'
import { session } from './session.ts'

export type { Need }

/** Explains why the key lacks a permission, or returns undefined. */
export const refusal = (need: Need): string | undefined => {
  const role = session.value?.key.role
  return role && whyNot(role, need)
}

export const mayChange = computed(() => refusal('change') === undefined)
export const mayOwn = computed(() => refusal('own') === undefined)

/** Shows the explanation. @returns whether the permission is missing */
export function refused(need: Need): boolean {
  const why = refusal(need)
  if (why !== undefined) say(`${why}.`, true)
  return why !== undefined
}
