import { attacker, attacks, PASSWORD, type Tally } from '../attacks.ts'
import { type Command, type Running, start } from '../processes.ts'
import { type Section, text, verdict } from '../report.ts'
import { getAccount } from '../requests.ts'
import { ours } from '../servers.ts'
import type { Effort } from '../settings.ts'

/** MB of heap of a server, small enough that anything unlimited ends the process. */
const HEAP = 512

const hosted: Command = {
  args: [`--max-old-space-size=${HEAP}`, ...ours.args],
  env: {
    SANDBOX_MODE: 'hosted',
    SANDBOX_API_PASSWORD: PASSWORD,
    SANDBOX_ADMIN_TOKEN: 'a token of the benchmark',
    SANDBOX_SETTLE_AFTER: '1h',
    // Rate limits would postpone the effects that the memory limits must prevent.
    SANDBOX_ADDRESS_RATE_LIMIT: 'none',
    SANDBOX_WORLD_REQUESTS: 'none',
    SANDBOX_WORLD_MAILS: 'none',
  },
}

/** Memory that one API key can make a hosted sandbox use, and the responses it gets. */
export async function measureMemory({ quick }: Effort): Promise<Section> {
  const size = quick ? 300 : 1_000
  const rows: string[][] = []
  let most = 0
  let ended = 0
  for (const [name, attack] of Object.entries(attacks)) {
    const server = await start(hosted, getAccount.path, PASSWORD)
    const { tally, close, ...attacking } = attacker(server.port)
    try {
      const before = server.memory()
      await attack({ tally, close, ...attacking }, size)
      const after = await memoryOf(server)
      if (Number.isFinite(after)) most = Math.max(most, after)
      else ended++
      rows.push([
        name,
        text(before),
        Number.isFinite(after) ? text(after) : 'ended',
        answersOf(tally),
        tally.refusal,
      ])
    } finally {
      close()
      await server.stop()
    }
  }
  return {
    title: 'Memory',
    about:
      `What one API key can make a sandbox in hosted mode take, each way in a process of its own with ${HEAP} MB of heap, at ${text(size)} MB ` +
      'sent or to be kept, with no limit on requests or mails a minute: resident memory before and after in MB, garbage that was not collected yet included, how requests were answered, and what ' +
      'the first refusal said.',
    tables: [{ columns: ['', 'before', 'after', 'answers', 'first refusal'], rows }],
    verdicts: [
      verdict('ways in which one key ends the process', ended, 0, false, 0),
      verdict(
        'the most that one key makes a process take, as a multiple of its heap,',
        most / HEAP,
        1.5,
        false,
      ),
    ],
  }
}

async function memoryOf(server: Running): Promise<number> {
  try {
    await fetch(`http://127.0.0.1:${server.port}/livez`)
    return server.memory()
  } catch {
    return Number.NaN
  }
}

const answersOf = ({ answers }: Tally) =>
  [...answers].map(([status, count]) => `${text(count)} × ${status}`).join(', ')
