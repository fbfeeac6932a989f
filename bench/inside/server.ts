/**
 * The sandbox on a port with a world of TRANSACTIONS settled transactions and CHANNELS channels. Replies to the message
 * "memory" with the heap and typed arrays after garbage collection, before and after filling, and now (needs --expose-gc).
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
