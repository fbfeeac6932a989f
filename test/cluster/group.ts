import assert from 'node:assert/strict'
import { type Answer, ask, pause, pay, type Sandbox, startSandbox, until } from './processes.ts'

/** Number of concurrent status queries. */
const AT_ONCE = 24

/** Several sandboxes over one database, and the payments sent to them. */
export class Group {
  readonly members: Sandbox[] = []
  /** Payments with the response 201, and those without a response or with another one. */
  readonly accepted = new Set<string>()
  readonly unsure = new Set<string>()
  /** The responses of the latter, one line each. */
  readonly refusals: string[] = []
  readonly #database: string
  readonly #callbacks: string
  readonly #envOf: (started: number) => Record<string, string>
  #started = 0
  #asked = 0

  private constructor(
    database: string,
    callbacks: string,
    envOf: (started: number) => Record<string, string>,
  ) {
    this.#database = database
    this.#callbacks = callbacks
    this.#envOf = envOf
  }

  /** @param envOf - Returns the settings of each process, by how many were started before. */
  static async start(
    database: string,
    callbacks: string,
    count = 3,
    envOf: (started: number) => Record<string, string> = () => ({}),
  ): Promise<Group> {
    const group = new Group(database, callbacks, envOf)
    group.members.push(...(await Promise.all(Array.from({ length: count }, () => group.#start()))))
    return group
  }

  #start(): Promise<Sandbox> {
    return startSandbox(this.#database, this.#envOf(this.#started++))
  }

  /** Returns whether the first one is ready. */
  async isReady(): Promise<boolean> {
    return (await fetch(`${this.members[0]!.url}/readyz`)).status === 200
  }

  /** Kills one and replaces it. */
  async replace(index: number): Promise<void> {
    this.members[index]!.signal('SIGKILL')
    await this.members[index]!.ended
    this.members[index] = await this.#start()
  }

  /** Stops one and replaces it. Returns its exit code. */
  async renew(index: number): Promise<number | null> {
    this.members[index]!.signal('SIGTERM')
    const code = await this.members[index]!.ended
    this.members[index] = await this.#start()
    return code
  }

  /**
   * Lets clients pay until stopped.
   * @param target - The address that they use; one member after another by default.
   */
  payUntil(isOver: () => boolean, clients = 8, target?: { readonly url: string }): Promise<void> {
    const client = async () => {
      while (!isOver()) {
        const n = ++this.#asked
        const reference = `order-${n}`
        const answer = await pay(target ?? this.members[n % this.members.length]!, reference, this.#callbacks)
        if (answer?.status === 201) this.accepted.add(reference)
        else {
          assert.ok(
            answer === undefined || answer.status === 503,
            `${reference} was answered ${JSON.stringify(answer)}`,
          )
          this.unsure.add(reference)
          this.refusals.push(`${reference}: ${answer?.status} ${answer?.body.error_message ?? ''}`)
          await pause(50)
        }
      }
    }
    const paying = Promise.all(Array.from({ length: clients }, client)).then(() => {})
    // The check that awaits it ends its processes first.
    paying.catch(() => {})
    return paying
  }

  payTimes(times: number): Promise<void> {
    return this.payUntil(() => this.#asked >= times)
  }

  /** Checks that every accepted payment exists and is settled, and the others at most once. Returns their number. */
  async requireWhole(seconds = 60): Promise<number> {
    const [first] = this.members
    let current: Answer | undefined
    await until('all jobs are done', seconds, async () => {
      current = await ask(first!, 'GET', '/sandbox/worlds/current')
      return current?.body.pending_jobs === 0
    }).catch((error: Error) => {
      throw new Error(`${error.message}: ${first!.url} returns ${JSON.stringify(current)}`, { cause: error })
    })
    const asked = [...this.accepted, ...this.unsure]
    let there = 0
    const look = async (reference: string, n: number) => {
      const member = this.members[n % this.members.length]!
      let answer: Answer | undefined
      // Its connections may have been cut just now.
      await until(`the status of ${reference} is known`, 30, async () => {
        answer = await ask(member, 'POST', '/api/global/transaction-status', { request_id: reference })
        return answer !== undefined && answer.status !== 503
      })
      if (answer?.body.status === 'success') there += 1
      else assert.ok(this.unsure.has(reference), `${reference} was accepted; now: ${JSON.stringify(answer)}`)
    }
    for (let from = 0; from < asked.length; from += AT_ONCE)
      await Promise.all(asked.slice(from, from + AT_ONCE).map(look))
    for (const member of this.members) {
      const { body } = (await ask(member, 'GET', '/sandbox/ledger?limit=1'))!
      assert.equal(body.balanced, true)
      assert.equal((await ask(member, 'GET', '/sandbox/worlds/current'))!.body.transactions, there)
    }
    return there
  }

  async end(): Promise<void> {
    for (const member of this.members) member.signal('SIGKILL')
    await Promise.all(this.members.map(({ ended }) => ended))
  }
}
