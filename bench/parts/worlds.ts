import { start } from '../processes.ts'
import { type Section, text, verdict } from '../report.ts'
import { getAccount } from '../requests.ts'
import { oursWith } from '../servers.ts'
import { type Effort, median } from '../settings.ts'

const TRANSACTIONS = 10_000
/** Worlds created before the measurement. */
const WARM_UP = 100

/** Creating a world, resetting one to its seed and restoring a snapshot, over HTTP, one after another. */
export async function measureWorlds(effort: Effort): Promise<Section> {
  const server = await start(
    oursWith({ TRANSACTIONS: String(TRANSACTIONS), SANDBOX_MAX_WORLDS: '5000' }),
    getAccount.path,
  )
  const post = async (path: string) => {
    const from = performance.now()
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: 'POST',
      body: '{}',
      headers: { authorization: 'Basic ZGVtbzpkZW1v', 'content-type': 'application/json' },
    })
    const body = (await answer.json()) as { readonly id?: unknown }
    return { ok: answer.ok, status: answer.status, body, ms: performance.now() - from }
  }
  const repeat = async (times: number, work: () => Promise<number>) => {
    const taken: number[] = []
    for (let i = 0; i < times; i++) taken.push(await work())
    return median(taken)
  }
  const required = async (path: string) => {
    const done = await post(path)
    if (!done.ok) throw new Error(`POST ${path} answered ${done.status}: ${JSON.stringify(done.body)}`)
    return done
  }
  const about = `Median times over HTTP for a world with ${text(TRANSACTIONS)} settled payments, and the memory of an unused world.`
  try {
    if ((await post('/sandbox/worlds')).status === 404)
      return {
        title: 'Worlds',
        about,
        tables: [],
        verdicts: ['Skipped: this version has no /sandbox/worlds.'],
      }
    const used = async () => ((await server.ask('memory')) as { readonly now: number }).now
    const worlds = effort.quick ? 200 : 1_000
    // Compiled code and other effects of the first requests belong to no world.
    for (let i = 0; i < WARM_UP; i++) await required('/sandbox/worlds')
    const before = await used()
    const make = await repeat(worlds, async () => (await required('/sandbox/worlds')).ms)
    const each = ((await used()) - before) / worlds
    const taken = await required('/sandbox/snapshots')
    const resets: number[] = []
    const restores: number[] = []
    for (let i = 0; i < effort.starts; i++) {
      resets.push((await required('/sandbox/reset')).ms)
      restores.push((await required(`/sandbox/snapshots/${String(taken.body.id)}/restore`)).ms)
    }
    return {
      title: 'Worlds',
      about,
      tables: [
        {
          columns: ['', 'ms'],
          rows: [
            ['make', text(make, 1)],
            ['take a snapshot', text(taken.ms, 1)],
            ['reset', text(median(resets), 1)],
            ['restore', text(median(restores), 1)],
          ],
        },
        { columns: ['', 'KB'], rows: [['a world that nobody has used', text(each / 1024, 1)]] },
      ],
      verdicts: [
        verdict('making a world, in ms,', make, 5, false, 1),
        verdict('memory of a world that nobody has used, in KB,', each / 1024, 9, false, 1),
      ],
    }
  } finally {
    await server.stop()
  }
}
