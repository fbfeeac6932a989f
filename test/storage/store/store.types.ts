/** Checked by the compiler only (`npm run types`): a line after `@ts-expect-error` must not compile. */
import { every } from '../../support/rows.ts'
import type { Tx } from '../../../src/service/domain/context.ts'
import type { Store } from '../../../src/storage/store/change.ts'
import type { World } from '../../../src/worlds/world.ts'

declare const store: Store
declare const world: World
declare function later(tx: Tx): Promise<number>
declare function perhaps(tx: Tx): number | Promise<number>

export const answer: number | Promise<number> = world.change((tx) => tx.rows.increment('transaction', 0))
export const nothing: void | Promise<void> = world.change((tx) => tx.rows.delete('jobs', 1))
export const slices: Promise<number> = store.readInSlices('demo', async () => 1)

// @ts-expect-error asynchronous work is not part of the change
void world.change(async (tx) => tx.rows.delete('jobs', 1))

// @ts-expect-error an asynchronous function
void world.change(later)

// @ts-expect-error a function that may be asynchronous
void world.change(perhaps)

// @ts-expect-error a read ends when its work returns
void world.read(async (look) => every(look.rows, 'jobs'))

// @ts-expect-error the same for the store
void store.change('demo', async (rows) => rows.delete('jobs', 1))

// @ts-expect-error likewise
void store.read('demo', () => Promise.resolve(1))
