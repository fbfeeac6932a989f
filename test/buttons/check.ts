import { fileURLToPath } from 'node:url'
import { bundleDashboard } from '../../build/dashboard.ts'
import { files } from '../../src/lib/files.ts'
import { startBrowser } from '../viewer/browser.ts'
import { type IsMeant, pressAll, type Shared } from './press.ts'
import { type Mode, startServer } from './servers.ts'

await bundleDashboard(fileURLToPath(files.dashboard))
const browser = await startBrowser()
const only = process.argv[2] ?? ''
const modes = ['local', 'hosted'] as const
const shared = startShared()
const first = await Promise.all(modes.map((mode) => pressIn(mode, (path) => path.includes(only), shared)))
let failed = false
for (const [at, faults] of first.entries()) {
  if (faults.length === 0) continue
  const shapes = new Set(faults.map(({ shape }) => shape))
  console.log(`\nAgain, alone: ${[...shapes].join(', ')}`)
  const second = await pressIn(modes[at]!, (_path, shape) => shapes.has(shape), startShared())
  failed ||= second.length > 0
}
await browser.close()
process.exit(failed ? 1 : 0)

function startShared(): Shared {
  return { harmless: new Set(), guides: new Map() }
}

async function pressIn(mode: Mode, isMeant: IsMeant, shared: Shared) {
  const server = await startServer(mode)
  const { pages, pressed, missed, faults, loads, hops } = await pressAll(browser, server, isMeant, shared)
  console.log(
    `${mode}: ${pages} pages, ${pressed} buttons, ${loads} loads, ${hops} hops, ${Math.round(performance.now() / 1_000)} s`,
  )
  for (const each of missed) console.log(`not there again  ${each}`)
  for (const { text } of faults) console.log(`FAIL  ${text}`)
  return faults
}
