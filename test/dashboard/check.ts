import { fileURLToPath } from 'node:url'
import { bundleDashboard } from '../../build/dashboard.ts'
import { files } from '../../src/files.ts'
import { audited } from './audited.ts'
import { budgets } from './budgets.ts'
import { certification } from './certification.ts'
import { checkouts } from './checkouts.ts'
import { frame } from './frame.ts'
import { hardships } from './hardships.ts'
import { live } from './live.ts'
import { lookAtAll } from './looks.ts'
import { result, type Subject } from './checks.ts'
import { desk } from './desk.ts'
import { first } from './first.ts'
import { phones } from './phones.ts'
import { startSandbox } from './server.ts'
import { story } from './story.ts'
import { steer } from './steer.ts'
import { wire } from './wire.ts'

/** One more is a file and its place here; `checks.ts` says what is in it. */
const subjects: readonly Subject[] = [
  first,
  live,
  // Pages.
  steer,
  phones,
  checkouts,
  wire,
  desk,
  audited,
  certification,
  // What holds for all of them.
  frame,
  hardships,
  story,
  budgets,
]

await bundleDashboard(fileURLToPath(files.dashboard))
const sandbox = await startSandbox()

const shown = sandbox.fresh()
// What waits for a payer goes on waiting, however long it takes to say all of it.
await shown.world.clock.freeze()
await shown.fill()
for (const { fill } of subjects) await fill?.(shown)
await shown.world.clock.resume()
await lookAtAll(
  sandbox.origin,
  shown.world.username,
  subjects.flatMap(({ looks = [] }) => looks),
)

for (const { stories } of subjects) await stories?.(sandbox)

await sandbox.close()
process.exit(await result())
