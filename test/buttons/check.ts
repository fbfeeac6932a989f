import { fileURLToPath } from 'node:url'
import { bundleDashboard } from '../../build/dashboard.ts'
import { files } from '../../src/lib/files.ts'
import { startBrowser } from '../viewer/browser.ts'
import { pressAll } from './press.ts'
import { type Mode, startServer } from './servers.ts'

await bundleDashboard(fileURLToPath(files.dashboard))
const browser = await startBrowser()
const modes: readonly Mode[] = ['local', 'hosted']
const shared = { harmless: new Set<string>(), guides: new Map<string, Mode>() }
const results = await Promise.all(
  modes.map(async (mode) => {
    const server = await startServer(mode)
    const result = await pressAll(browser, server, process.argv[2] ?? '', shared)
    console.log(
      `${mode}: ${result.pages} pages, ${result.pressed} buttons, ${result.loads} loads, ${result.hops} hops, ${Math.round(performance.now() / 1_000)} s`,
    )
    for (const each of result.missed) console.log(`not there again  ${each}`)
    return result.faults
  }),
)
await browser.close()
const faults = results.flat()
for (const each of faults) console.log(`FAIL  ${each}`)
process.exit(faults.length === 0 ? 0 : 1)
