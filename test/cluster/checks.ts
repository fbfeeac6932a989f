/** Checks that need several processes. Each uses its own database; two run at a time, because they mostly wait. */
import { emptyDatabase } from '../support/postgres.ts'
import { clocksApart } from './clocks-apart.ts'
import { cutConnections, fewConnections } from './connections.ts'
import { databaseRestarts } from './database-restarts.ts'
import { frozenWorlds } from './frozen-worlds.ts'
import { history, shards } from './history.ts'
import { killedAmidPayments } from './killed-amid-payments.ts'
import { sharedState } from './shared-state.ts'
import { oneTruth } from './one-truth.ts'
import { eventsOverProcesses } from './events-over-processes.ts'
import { paymentsOverThree } from './payments-over-three.ts'
import { restoredBackup } from './restored-backup.ts'
import { rollingUpdate } from './rolling-update.ts'
import { revokedKeys } from './revoked-keys.ts'
import { standbyPromoted } from './standby-promoted.ts'
import { stoppedProcess } from './stopped-process.ts'

/** Longest first. */
const checks = [
  sharedState,
  stoppedProcess,
  history,
  shards,
  killedAmidPayments,
  eventsOverProcesses,
  revokedKeys,
  rollingUpdate,
  clocksApart,
  cutConnections,
  fewConnections,
  databaseRestarts,
  standbyPromoted,
  frozenWorlds,
  restoredBackup,
  paymentsOverThree,
  oneTruth,
]
const LANES = 2
const words = process.argv.slice(2)
const full = words.includes('--full')
const only = words.find((word) => word !== '--full')
const left = checks.filter(({ name }) => only === undefined || name === only)
let failed = 0

async function lane(): Promise<void> {
  for (let check = left.shift(); check; check = left.shift()) {
    const began = performance.now()
    const seconds = () => `${Math.round((performance.now() - began) / 1_000)} s`
    try {
      const figures = await check(await emptyDatabase(), { full })
      console.log(`ok ${check.name} (${seconds()}): ${figures}`)
    } catch (error) {
      failed += 1
      console.log(`FAILED ${check.name} (${seconds()}): ${String((error as Error).stack)}`)
    }
  }
}

await Promise.all(Array.from({ length: LANES }, lane))
process.exit(failed === 0 ? 0 : 1)
