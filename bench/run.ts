/** `npm run bench [-- part…] [-- --quick]`: measures, prints the results and, without `--quick`, writes docs/performance.md. */
import { buildAll, installPeers } from './build.ts'
import { measureCallbacks } from './parts/callbacks.ts'
import { measureCluster } from './parts/cluster.ts'
import { measureDecide } from './parts/decide.ts'
import { measureGrowth } from './parts/growth.ts'
import { measureMemory } from './parts/memory.ts'
import { measureNeighbours } from './parts/neighbours.ts'
import { measureRate } from './parts/rate.ts'
import { measureRetention } from './parts/retention.ts'
import { measureStart } from './parts/start.ts'
import { measureWaterfall } from './parts/waterfall.ts'
import { measureWorlds } from './parts/worlds.ts'
import { machine, printed, type Section, writeReport } from './report.ts'
import { type Effort, effortOf } from './settings.ts'

const parts: Record<string, (effort: Effort) => Promise<Section>> = {
  start: measureStart,
  rate: measureRate,
  waterfall: measureWaterfall,
  growth: measureGrowth,
  retention: measureRetention,
  decide: measureDecide,
  callbacks: measureCallbacks,
  worlds: measureWorlds,
  neighbours: measureNeighbours,
  memory: measureMemory,
  cluster: measureCluster,
}

const words = process.argv.slice(2)
const asked = words.filter((word) => !word.startsWith('--'))
const unknown = asked.find((name) => !(name in parts))
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}"; there are ${Object.keys(parts).join(', ')}.`)
  process.exit(2)
}
const effort = effortOf(words.includes('--quick'))

installPeers()
await buildAll()
console.log(machine())
const sections: Section[] = []
for (const [name, measure] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const from = performance.now()
  const section = await measure(effort)
  console.log(`\n${section.title} (${Math.round((performance.now() - from) / 1000)} s)\n`)
  for (const table of section.tables) console.log(`${printed(table)}\n`)
  for (const line of section.verdicts) console.log(line)
  sections.push(section)
}
if (!effort.quick) {
  await writeReport(sections)
  console.log('\nWritten to docs/performance.md.')
}
