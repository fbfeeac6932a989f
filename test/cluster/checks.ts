/** What only several processes over one database can show; each check in a database of its own. */
import { emptyDatabase } from '../support/postgres.ts'
import { paymentsOverThree } from './payments-over-three.ts'
import { killedAmidPayments } from './killed-amid-payments.ts'
import { oneTruth } from './one-truth.ts'
import { eventsOverProcesses } from './events-over-processes.ts'
import { stoppedProcess } from './stopped-process.ts'
import { databaseRestarts } from './database-restarts.ts'

const checks = [
  paymentsOverThree,
  oneTruth,
  eventsOverProcesses,
  killedAmidPayments,
  stoppedProcess,
  databaseRestarts,
]
const words = process.argv.slice(2)
const full = words.includes('--full')
const only = words.find((word) => word !== '--full')
let failed = 0
for (const check of checks) {
  if (only !== undefined && check.name !== only) continue
  try {
    console.log(`ok ${check.name}: ${await check(await emptyDatabase(), { full })}`)
  } catch (error) {
    failed += 1
    console.log(`FAILED ${check.name}: ${String((error as Error).stack)}`)
  }
}
process.exit(failed === 0 ? 0 : 1)
