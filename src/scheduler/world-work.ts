import type { Due } from './due-queue.ts'
import { DueQueue } from './due-queue.ts'

/** What one world owes and what of it is under way. A reset makes a new one; what belongs to the old one ends unheard. */
export class WorldWork {
  readonly queue = new DueQueue()
  /** Jobs that are being done, by id. */
  readonly running = new Map<number, Promise<string>>()
  /** Work that goes over the network: waiting in a lane or running. */
  inLanes = 0
  /** The loop that runs what is due by itself, while it does. */
  draining: Promise<void> | undefined
  /** The rows of its jobs are being read: what is due first is known when all are. */
  loading: Promise<void> | undefined
  /** Someone moves the clock and runs what falls due; nothing runs by itself meanwhile. */
  steered = false
  /** What is due again only once nobody moves the clock any more: he would come to it at once, and for ever. */
  readonly unwritten: Due[] = []
  /** How often work of a line has ended. */
  ends = 0
  /** Lines with work under way. */
  readonly #busy = new Set<string>()
  /** What waits for its line. */
  readonly #parked = new Map<string, Due[]>()
  #whenQuiet: (() => void)[] = []

  isBusy(line: string): boolean {
    return this.#busy.has(line)
  }

  begin(line: string): void {
    this.#busy.add(line)
  }

  park(line: string, due: Due): void {
    const parked = this.#parked.get(line)
    if (parked) parked.push(due)
    else this.#parked.set(line, [due])
  }

  /** What waited for the line is due again, in the order it had. */
  end(line: string): void {
    this.ends++
    this.#busy.delete(line)
    for (const due of this.#parked.get(line) ?? []) this.queue.add(due)
    this.#parked.delete(line)
  }

  leftLane(): void {
    if (--this.inLanes > 0) return
    for (const resolve of this.#whenQuiet.splice(0)) resolve()
  }

  /** Resolves when nothing goes over the network. */
  async quiet(): Promise<void> {
    if (this.inLanes > 0) await new Promise<void>((resolve) => this.#whenQuiet.push(resolve))
  }
}
