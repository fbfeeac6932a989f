/**
 * The sandbox on a port with a world of a given size: TRANSACTIONS settled ones, CHANNELS channels. Asked for
 * "memory" it answers what was left of the heap and of typed arrays after collecting garbage, before and after it was filled, and now
 * (run with --expose-gc).
 */
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
process.on('message', () => process.send?.({ empty, filled, now: usedHeap() }))
process.on('SIGTERM', () => void opened.sandbox.close().then(() => process.exit(0)))
await opened.sandbox.listen()
