import type { Config } from '../config.ts'
import type { Engine } from '../engine/engine.ts'
import type { Log } from '../log.ts'
import type { Secrets } from '../random.ts'
import type { WorldRows } from '../store/store.ts'
import { GuestWorlds } from '../worlds/guest-worlds.ts'
import type { Guest } from '../worlds/template.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { Time } from './time.ts'

/** How long worlds of guests live after their last call, milliseconds. */
export const guestTtlOf =
  ({ readerTtl, signUpTtl }: Config) =>
  (guest: Guest): number =>
    guest === 'reader' ? readerTtl : signUpTtl

/** Worlds for people who are not known, by the settings. */
export function openGuestWorlds(
  config: Config,
  engine: Engine,
  worlds: Worlds,
  rows: WorldRows,
  secrets: Secrets,
  { wall }: Time,
  log: Log,
): GuestWorlds {
  return new GuestWorlds({
    worlds,
    rows,
    secrets,
    wall,
    counters: engine.counters,
    rules: {
      signUp: config.signUp,
      readers: config.readerWorlds === 'on',
      tokens: config.signUpTokens ?? [],
      most: config.signUpWorlds,
      rate: config.signUpRate,
      addressRates: { 'sign-up': config.signUpAddressRate, reader: config.readerAddressRate },
      copies: config.signUpCopies,
      ttl: guestTtlOf(config),
    },
    onMade: (made) => log.info('world for a guest', made),
  })
}
