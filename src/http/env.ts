import type { Caller } from '../domain/context.ts'
import type { World } from '../worlds/world.ts'

/** What a handler finds in its context: whose world it is and who asks. */
export interface Env {
  Variables: {
    world: World
    caller: Caller
  }
}
