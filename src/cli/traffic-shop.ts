import type { WorldClient } from '../client/types.ts'
import { lookBy } from '../certify/probe.ts'
import { ProfileError } from '../certify/certify.ts'
import type { Profile } from '../certify/profile.ts'
import { act, requestSender } from '../certify/shop-access.ts'
import type { TrafficShop } from '../traffic/world.ts'

/** Time limit of a probe, milliseconds. */
const PROBE_LIMIT = 10_000

/**
 * Returns the shop of a profile, with its trigger and its probe.
 * @throws {ProfileError} without a trigger or a probe that a program can use
 */
export function certificationAccess(
  profile: Profile,
  world: WorldClient,
  secret: string,
  ended: AbortSignal,
): TrafficShop {
  const { trigger, probe, receiver, variables } = profile
  const needs = !trigger
    ? 'a trigger: how customers order'
    : profile.isManual
      ? 'a trigger that a program can use: http or command'
      : !probe
        ? 'a probe: how to read the state of an order'
        : undefined
  if (needs !== undefined || !trigger || !probe)
    throw new ProfileError([`The profile ${profile.profile} needs ${needs}.`], [], 0)
  // The books are compared after the run was stopped, too.
  const open = new AbortController().signal
  const accessOf = (signal: AbortSignal) => ({ ask: requestSender({}, signal), say: () => {}, ended: signal })
  const paying = accessOf(ended)
  const look = lookBy(probe, accessOf(open), PROBE_LIMIT)
  const { url: sandbox, username: user, password, authorization, fetch } = world
  const where = { sandbox, user, password, authorization, secret, callback: receiver.url ?? '' }
  return {
    async trigger(order) {
      const given = { ...order, ...where }
      const { ok, error } = await act(
        paying,
        typeof trigger === 'function' ? () => trigger({ ...given, fetch }) : trigger,
        { ...given, ...variables },
        'trigger',
      )
      if (!ok) throw new Error(error)
    },
    async probe(order) {
      const { state, word, fulfilled } = await look(order)
      if (state === 'unknown')
        throw new Error(`the probe returns ${JSON.stringify(word)}, which is missing in means of the profile`)
      return { state, fulfilled }
    },
  }
}
