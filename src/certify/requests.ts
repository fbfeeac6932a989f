/** What the shop sent to the sandbox since a check began. */
import type { Listening } from '../client/types.ts'
import { systemWall } from '../clock.ts'
import type { Transaction } from '../generated/control/types.ts'
import type { Setting } from './common.ts'
import { isAskedFor, isPaying, type Ordered } from './ordered.ts'
import { pause, until } from './pause.ts'
import {
  type Asked,
  type Mark,
  markOf,
  newRequests,
  newTransactions,
  ownRequests,
  type Scene,
  sceneOf,
} from './scene.ts'

export class Requests {
  readonly #setting: Setting
  readonly #real: boolean
  readonly #mark: Mark
  readonly #came: ReadonlyMap<string, number>
  readonly #own = new Set<string>()
  readonly #listening: Listening | undefined

  private constructor(
    setting: Setting,
    mark: Mark,
    came: ReadonlyMap<string, number>,
    listening: Listening | undefined,
  ) {
    this.#setting = setting
    this.#mark = mark
    this.#came = came
    this.#listening = listening
    this.#real = listening !== undefined
  }

  /** @param real whether it matters when each comes */
  static async open(setting: Setting, real: boolean): Promise<Requests> {
    const { world } = setting
    const mark = await markOf(world)
    const came = new Map<string, number>()
    const listen = () =>
      world.listen(({ type, data }) => {
        if (type === 'request') came.set(String(data['id']), systemWall())
      })
    return new Requests(setting, mark, came, real ? await listen() : undefined)
  }

  /** What was recorded meanwhile; nothing is tried any more. */
  async close(): Promise<Scene> {
    await this.#listening?.stop()
    const { check, world } = this.#setting
    const scene = await sceneOf(world, this.#mark, { check, real: this.#real }, this.#came, this.#own)
    return { ...scene, requests: this.#ofCheck(scene.requests, scene.transactions) }
  }

  /** A request of whoever certifies is none of the shop's. @param id as the sandbox's answer names it */
  disown(id: string): void {
    this.#own.add(id)
  }

  /** The payments since then, newest first. */
  payments(): Promise<readonly Transaction[]> {
    return newTransactions(this.#setting.world, this.#mark)
  }

  /** Oldest first. */
  async all(): Promise<readonly Asked[]> {
    const [all, transactions] = await Promise.all([
      newRequests(this.#setting.world, this.#mark, this.#came),
      this.payments(),
    ])
    return this.#ofCheck(
      all.filter(({ id }) => !this.#own.has(id)),
      transactions,
    )
  }

  #ofCheck(requests: readonly Asked[], transactions: readonly Transaction[]): readonly Asked[] {
    const { check, common } = this.#setting
    const run = `-${common.run}-`
    return ownRequests(requests, transactions, check.toLowerCase() + run, run)
  }

  /** Those that pay for an order, whether they were taken or not. */
  async tries(order: Ordered): Promise<readonly Asked[]> {
    return (await this.all()).filter((each) => isPaying(each) && isAskedFor(order, each))
  }

  /** Until the shop has sent its first request for an order. */
  async tried(order: Ordered): Promise<void> {
    await until(this.#setting.common.profile.client.patience, async () =>
      (await this.tries(order)).length > 0 ? true : undefined,
    )
  }

  /** Until the shop sent nothing for an order for a while, or so long at most. Milliseconds. */
  async quiet(calm: number, most: number, order: Ordered): Promise<void> {
    const end = systemWall() + most
    let count = -1
    for (let since = systemWall(); systemWall() < end;) {
      const { length } = await this.tries(order)
      if (length !== count) since = systemWall()
      count = length
      if (systemWall() - since >= calm) return
      await pause(Math.min(100, calm / 3))
    }
  }
}
