import type { Caller } from '../domain/context.ts'
import type { Library } from '../scenarios/library.ts'
import type { JournalEntry } from '../worlds/journal.ts'
import type { World } from '../worlds/world.ts'
import type { Process } from './process.ts'

/** What a handler finds in its context: whose world it is and who asks. */
export interface Env {
  Variables: {
    /** Absent below `/__admin`, which is of no world. */
    world: World
    caller: Caller
    /** The text of the body as it was sent. */
    text: string
    /** The scenarios of the process. */
    library: () => Library
    /** What every answer of an operation has for headers, and those that say how the sandbox came to it. */
    answer_headers: { [name: string]: string }
    /** This request on the world's record; calls of the sandbox's own API are not on it. */
    entry: JournalEntry
    process: Process
    /** The replacer that JSON is shown through to a caller who may only read; absent for others. */
    shown: ((name: string, value: unknown) => unknown) | undefined
  }
}
