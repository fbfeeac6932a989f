import type { Config } from '../config/config.ts'
import type { Engine } from '../storage/engine/engine.ts'
import type { Log } from '../lib/log/log.ts'
import type { Secrets } from '../lib/random/random.ts'
import type { WorldRows } from '../storage/store/store.ts'
import { GuestWorlds } from '../worlds/guest-worlds.ts'
import type { Guest } from '../worlds/template.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { Time } from './time.ts'

/** How long worlds of guests live after their last call, milliseconds. */
export const guestTtlOf =
  ({ readerTtl, signUpTtl }: Config) =>
  (guest: Guest): number =>
    guest === 'reader' ? readerTtl : signUpTtl

interface GuestParts {
  readonly config: Config
  readonly engine: Engine
  readonly worlds: Worlds
  /** What every world without a seed of its own starts with. */
  readonly rows: WorldRows
  readonly secrets: Secrets
  readonly time: Time
  readonly log: Log
}

/** Worlds for people who are not known, by the settings. */
export function openGuestWorlds({
  config,
  engine,
  worlds,
  rows,
  secrets,
  time,
  log,
}: GuestParts): GuestWorlds {
  return new GuestWorlds({
    worlds,
    rows,
    secrets,
    wall: time.wall,
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
