/** What the shop sent to the sandbox since a check began. */
import type { Listening } from '../client/types.ts'
import { systemWall } from '../lib/clock/clock.ts'
import type { Transaction } from '../generated/control/types.ts'
import type { CheckContext } from './context.ts'
import { isAskedFor, isPaying, type Ordered } from './ordered.ts'
import { pause, until } from './pause.ts'
import {
  type ShopRequest,
  type Known,
  newRequests,
  newTransactions,
  ownRequests,
  type Scene,
  sceneOf,
} from './scene.ts'

export class Requests {
  readonly #context: CheckContext
  readonly #came: ReadonlyMap<string, number>
  readonly #own = new Set<string>()
  /** How many requests for an order there were when one was the newest. */
  readonly #counts = new Map<string, { readonly newest: string; readonly count: number }>()
  readonly #listening: Listening | undefined

  private constructor(
    context: CheckContext,
    came: ReadonlyMap<string, number>,
    listening: Listening | undefined,
  ) {
    this.#context = context
    this.#came = came
    this.#listening = listening
  }

  /** Begins to look; where time goes on it listens too, as it matters then when each request comes. */
  static async open(context: CheckContext): Promise<Requests> {
    const came = new Map<string, number>()
    const listen = () =>
      context.world.listen(({ type, data }) => {
        if (type === 'request') came.set(String(data['id']), systemWall())
      })
    return new Requests(context, came, context.time === 'real' ? await listen() : undefined)
  }

  /** What was recorded meanwhile; nothing is tried any more. @param callbacks as they were looked at */
  async close(callbacks: NonNullable<Known['callbacks']>): Promise<Scene> {
    await this.#listening?.stop()
    const { check, time, world, mark, common } = this.#context
    const { features } = common.profile
    const about = { check, real: time === 'real' }
    const scene = await sceneOf(world, mark, about, { came: this.#came, callbacks, features })
    return { ...scene, requests: this.#ofCheck(scene.requests, scene.transactions) }
  }

  /** A request of whoever certifies is none of the shop's. @param id as the sandbox's answer names it */
  disown(id: string): void {
    this.#own.add(id)
  }

  /** The payments since then, newest first. */
  payments(): Promise<readonly Transaction[]> {
    return newTransactions(this.#context.world, this.#context.mark)
  }

  /** Oldest first. */
  async all(): Promise<readonly ShopRequest[]> {
    const [all, transactions] = await Promise.all([this.#since(), this.payments()])
    return this.#ofCheck(all, transactions)
  }

  #since(): Promise<readonly ShopRequest[]> {
    return newRequests(this.#context.world, this.#context.mark, this.#came)
  }

  #ofCheck(requests: readonly ShopRequest[], transactions: readonly Transaction[]): readonly ShopRequest[] {
    const { check, common } = this.#context
    const run = `-${common.run}-`
    const shops = requests.filter(({ id }) => !this.#own.has(id))
    return ownRequests(shops, transactions, check.toLowerCase() + run, run)
  }

  /** Those that pay for an order, whether they were taken or not. */
  async tries(order: Ordered): Promise<readonly ShopRequest[]> {
    return (await this.#since()).filter(
      (each) => isPaying(each) && !this.#own.has(each.id) && isAskedFor(order, each),
    )
  }

  /** How many requests pay for an order; the list is read only when something was asked since the last time. */
  async #countOf(order: Ordered): Promise<number> {
    const { requests } = await this.#context.world.call('listRequests', { query: { limit: 1 } })
    const newest = requests[0]?.id ?? ''
    const before = this.#counts.get(order.order)
    if (before?.newest === newest) return before.count
    const count = (await this.tries(order)).length
    this.#counts.set(order.order, { newest, count })
    return count
  }

  /** Until the shop has sent so many requests for an order, or so long at most, milliseconds. */
  async sent(times: number, order: Ordered, most: number): Promise<void> {
    await until(most, async () => ((await this.#countOf(order)) >= times ? true : undefined))
  }

  /** Until the shop sent nothing for an order for a while, or so long at most. Milliseconds. */
  async quiet(calm: number, most: number, order: Ordered): Promise<void> {
    const end = systemWall() + most
    let count = -1
    for (let since = systemWall(); systemWall() < end;) {
      const now = await this.#countOf(order)
      if (now !== count) since = systemWall()
      count = now
      // Of an order nothing is quiet before it was tried.
      if (systemWall() - since >= calm && count > 0) return
      await pause(Math.min(100, calm / 3))
    }
  }
}
