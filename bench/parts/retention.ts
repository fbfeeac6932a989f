import { Agent, request } from 'node:http'
import { type Running, start } from '../processes.ts'
import { type Section, text, verdict } from '../report.ts'
import { createCollection, getAccount } from '../requests.ts'
import { ours } from '../servers.ts'
import type { Effort } from '../settings.ts'

/** Payments at each measurement. */
const LOOKS = [50_000, 100_000, 150_000, 200_000, 270_000]
const QUICK_LOOKS = [10_000, 20_000, 30_000]
/** MB of memory that a container of 256 MB has room for. */
const MOST_MEMORY = 250

interface Look {
  /** Resident memory, in MB. */
  readonly memory: number
  /** CPU time of the server per payment since the last measurement, in microseconds. */
  readonly cpu: number
  readonly rate: number
}

/** Memory of a long run: as many payments as fifteen minutes at 300 per second, sent at full speed. */
export async function measureRetention({ quick, connections }: Effort): Promise<Section> {
  const looks = quick ? QUICK_LOOKS : LOOKS
  const keeps = quick ? ['off', '30d,5000'] : ['off', '30d,20000', '30d,100000']
  const runs: Look[][] = []
  for (const keep of keeps) runs.push(await longRun(keep, looks, connections))
  const off = runs[0]!.at(-1)!
  return {
    title: 'Retention',
    about:
      `createCollection ${text(looks.at(-1)!)} times, each with a reference of its own, settled at once, with different settings of ` +
      '`SANDBOX_RETENTION`: resident memory after so many payments, and processor time of the server for each since the look before.',
    tables: [
      {
        columns: ['payments', ...keeps.flatMap((keep) => [`${keep}: MB`, 'CPU µs', 'requests/s'])],
        rows: looks.map((count, i) => [
          text(count),
          ...runs.flatMap((run) => [text(run[i]!.memory), text(run[i]!.cpu), text(run[i]!.rate)]),
        ]),
      },
    ],
    verdicts: [
      verdict(`memory at the end with ${keeps[1]}, in MB,`, runs[1]!.at(-1)!.memory, MOST_MEMORY, false, 0),
      verdict(
        `processor time at the end with ${keeps[1]} over that with off`,
        runs[1]!.at(-1)!.cpu / off.cpu,
        1.1,
        false,
      ),
    ],
  }
}

async function longRun(keep: string, looks: readonly number[], connections: number): Promise<Look[]> {
  const env = { SANDBOX_RETENTION: keep, SANDBOX_SETTLE_AFTER: '0' }
  const server = await start({ ...ours, env }, getAccount.path)
  try {
    const found: Look[] = []
    let made = 0
    for (const count of looks) {
      const [cpu, from] = [server.cpu(), performance.now()]
      await pay(server, made, count, connections)
      found.push({
        memory: server.memory(),
        cpu: (server.cpu() - cpu) / (count - made),
        rate: (count - made) / ((performance.now() - from) / 1000),
      })
      made = count
    }
    return found
  } finally {
    await server.stop()
  }
}

/** Sends the payments with numbers in a range, `count` at a time. @throws {Error} If one is rejected. */
async function pay({ port }: Running, from: number, to: number, connections: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let next = from
  const one = (n: number) =>
    new Promise<void>((resolve, reject) => {
      const body = JSON.stringify({ ...createCollection.body, external_reference: `order-${n}` })
      const sent = request(
        {
          agent,
          port,
          host: '127.0.0.1',
          method: 'POST',
          path: createCollection.path,
          headers: {
            authorization: 'Basic ZGVtbzpkZW1v',
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
        },
        (answer) => {
          answer.resume()
          answer.on('end', () =>
            answer.statusCode === 201 ? resolve() : reject(new Error(`payment ${n}: ${answer.statusCode}`)),
          )
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  const worker = async () => {
    while (next < to) await one(next++)
  }
  await Promise.all(Array.from({ length: connections }, worker))
  agent.destroy()
}
