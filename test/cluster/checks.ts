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
const failed: typeof left = []

/** Runs one check after the other. @param onFailed - Called with each that fails. */
async function lane(list: typeof left, onFailed: (check: (typeof left)[number]) => void): Promise<void> {
  for (let check = list.shift(); check; check = list.shift()) {
    const began = performance.now()
    const seconds = () => `${Math.round((performance.now() - began) / 1_000)} s`
    try {
      const figures = await check(await emptyDatabase(), { full })
      console.log(`ok ${check.name} (${seconds()}): ${figures}`)
    } catch (error) {
      onFailed(check)
      console.log(`FAILED ${check.name} (${seconds()}): ${String((error as Error).stack)}`)
    }
  }
}

await Promise.all(Array.from({ length: LANES }, () => lane(left, (check) => failed.push(check))))
// They measure processes that wait for each other: one that failed beside others is repeated alone.
let failedAlone = 0
if (failed.length > 0) console.log(`again, alone: ${failed.map(({ name }) => name).join(', ')}`)
await lane(failed, () => (failedAlone += 1))
process.exit(failedAlone === 0 ? 0 : 1)
