import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { attackerOf } from '../neighbours/attacker.ts'
import { type Way, ways } from '../neighbours/ways.ts'
import { start } from '../processes.ts'
import { type Section, text, verdict } from '../report.ts'
import { getAccount } from '../requests.ts'
import { oursWith } from '../servers.ts'
import { type Effort, here } from '../settings.ts'

/** Settled transactions in the attacker's world at the start. */
const TRANSACTIONS = 60_000
/** p99 latency of a neighbour's payments, in milliseconds. */
const GOAL = 50
/** Milliseconds to wait for the effects of the previous attack to end. */
const REST = 1_000

interface Sample {
  readonly taken: readonly number[]
  readonly failed: number
}

interface Measured extends Sample {
  /** Responses to the attacker, by status. */
  readonly answers: string
}

/** Latency of one world's payments during each known attack by the owner of another world. */
export async function measureNeighbours(effort: Effort): Promise<Section> {
  const seconds = effort.quick ? 3 : 10
  const rows: (readonly string[])[] = []
  const missed: string[] = []
  let worst = 0
  // WAY=import measures only the attacks whose name contains "import".
  for (const way of ways.filter(({ name }) => name.includes(process.env.WAY ?? ''))) {
    const { taken, failed, answers } = await measureWay(way, seconds)
    const sorted = [...taken].sort((a, b) => a - b)
    const at = (part: number) =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Infinity
    const p99 = at(0.99)
    worst = Math.max(worst, p99)
    if (p99 > GOAL || failed > 0) missed.push(way.name)
    const times = [at(0.5), p99, at(1)].map((ms) => text(ms, 1))
    rows.push([way.name, text(sorted.length), text(failed), ...times, answers])
  }
  return {
    title: 'Neighbours',
    about:
      `A payment every few milliseconds in one world, each sent when the one before is answered, while the owner of another world, which has ${text(TRANSACTIONS)} ` +
      `settled transactions, does this as fast as he can for ${seconds} seconds; all with the limits of a local sandbox, which are wide. Milliseconds.`,
    tables: [
      {
        columns: ['the other world’s owner', 'payments', 'failed', 'p50', 'p99', 'longest', 'answers to him'],
        rows,
      },
    ],
    verdicts: [
      verdict('the worst p99 of a neighbour, in ms,', worst, GOAL, false),
      ...(missed.length > 0 ? [`Over ${GOAL} ms or failed: ${missed.join('; ')}.`] : []),
    ],
  }
}

/** A new server for each attack, so that attacks do not affect each other. */
async function measureWay(way: Way, seconds: number): Promise<Measured> {
  const ours = oursWith({
    TRANSACTIONS: String(TRANSACTIONS),
    SANDBOX_RETENTION: 'off',
    SANDBOX_RETRY_PROFILE: 'none',
  })
  const server = await start(way.within?.(ours) ?? ours, getAccount.path)
  const probe = fork(join(here, 'neighbours/probe.mjs'), [String(server.port)])
  const over = new AbortController()
  const sample = async (): Promise<Sample> => {
    probe.send('measure')
    return ((await once(probe, 'message')) as [Sample])[0]
  }
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  try {
    await once(probe, 'message')
    const attacker = attackerOf(server.port, over.signal)
    await way.prepare?.(attacker)
    await pause(REST)
    await sample()
    attacker.answers()
    const attack = way.attack(attacker)
    // An attack that ends by itself is measured until its end.
    await Promise.race([pause(seconds * 1_000), way.once ? attack : new Promise(() => {})])
    const measured = { ...(await sample()), answers: attacker.answers() }
    over.abort()
    await attack
    return measured
  } finally {
    over.abort()
    probe.kill('SIGKILL')
    await server.stop()
  }
}
