/**
 * The sandbox on a port with a world of TRANSACTIONS settled transactions and CHANNELS channels. Replies to the message
 * "memory" with the heap and typed arrays after garbage collection, before and after filling, and now (needs --expose-gc);
 * to "profile" once the CPU profiler runs, and to "profiled" with its profile.
 */
import { Session } from 'node:inspector/promises'
import { fillChannels, fillTransactions } from './fill.ts'
import { openSandbox } from './sandbox.ts'

const opened = await openSandbox()
const usedHeap = () => {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
const empty = usedHeap()
await fillTransactions(opened, Number(process.env.TRANSACTIONS ?? 0))
if (process.env.CHANNELS) await fillChannels(opened, Number(process.env.CHANNELS))
const filled = usedHeap()
const session = new Session()
const replies: Record<string, () => unknown> = {
  memory: () => ({ empty, filled, now: usedHeap() }),
  async profile() {
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 200 })
    await session.post('Profiler.start')
    return {}
  },
  profiled: async () => (await session.post('Profiler.stop')).profile,
}
process.on('message', async (question: string) => process.send?.(await replies[question]!()))
process.on('SIGTERM', () => void opened.sandbox.close().then(() => process.exit(0)))
await opened.sandbox.listen()
