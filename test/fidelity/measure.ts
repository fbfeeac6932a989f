/** Prints what recording and comparing cost: npx tsx test/fidelity/measure.ts */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replay } from '../../src/fidelity/replay.ts'
import { record } from '../../src/fidelity/library.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { recordingOf } from './drifting-service.ts'

const ROUNDS = 2_000

const body = JSON.stringify({ success: true, status: 'QUEUED', reference: 'UFD003217286.iI' })
const server = createServer((incoming, outgoing) => {
  incoming.resume()
  incoming.on('end', () => outgoing.setHeader('content-type', 'application/json').end(body))
})
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
const direct = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const folder = await mkdtemp(join(tmpdir(), 'measure-'))
const recording = await record({ service: direct, out: join(folder, 'session.har') })
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const sent = JSON.stringify({ amount: 100, phone_number: '254712345678', external_reference: 'order-1' })

const exchange = (url: string) =>
  new Promise<number>((resolve, reject) => {
    const began = performance.now()
    const asked = request(
      `${url}/api/v2/payments`,
      { agent, method: 'POST', headers: { 'content-type': 'application/json' } },
      (response) => response.resume().on('end', () => resolve(performance.now() - began)),
    )
    asked.on('error', reject)
    asked.end(sent)
  })

const times: Record<'direct' | 'proxy', number[]> = { direct: [], proxy: [] }
for (let n = 0; n < ROUNDS; n++) {
  times.direct.push(await exchange(direct))
  times.proxy.push(await exchange(recording.url))
}
const { written, lost } = await recording.close()
agent.destroy()
server.close()
await rm(folder, { recursive: true })

const at = (list: number[], part: number) => list.toSorted((a, b) => a - b)[Math.floor(list.length * part)]!
const line = (part: number) =>
  `${at(times.direct, part).toFixed(2)} ms direct, ${at(times.proxy, part).toFixed(2)} ms through the proxy`
console.log(`record: ${written} exchanges, ${lost} lost; p50 ${line(0.5)}; p95 ${line(0.95)}`)

const long = await recordingOf([], 170)
const [began, cpu] = [performance.now(), process.cpuUsage()]
const { differences } = await replay(long, { createSandbox })
const { user, system } = process.cpuUsage(cpu)
const [wall, processor] = [performance.now() - began, (user + system) / 1_000].map((ms) =>
  (ms / 1_000).toFixed(1),
)
console.log(
  `compare: ${long.entries.length} exchanges in ${wall} s, ${processor} s of processor time; ${differences.length} differences`,
)

const source = [
  ...(await readdir('src/fidelity')).map((name) => `src/fidelity/${name}`),
  'src/cli/record.ts',
  'src/cli/compare.ts',
]
const texts = await Promise.all(source.map((path) => readFile(path, 'utf8')))
console.log(`code: ${texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)} lines`)
process.exit()
