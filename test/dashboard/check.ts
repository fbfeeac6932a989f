import { fileURLToPath } from 'node:url'
import { bundleDashboard } from '../../build/dashboard.ts'
import { files } from '../../src/files.ts'
import { budgets } from './budgets.ts'
import { checkouts } from './checkouts.ts'
import { frame } from './frame.ts'
import { hardships } from './hardships.ts'
import { live } from './live.ts'
import { lookAtAll } from './looks.ts'
import { result, type Subject } from './checks.ts'
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
  steer,
  phones,
  checkouts,
  wire,
  frame,
  hardships,
  story,
  budgets,
]

await bundleDashboard(fileURLToPath(files.dashboard))
const sandbox = await startSandbox()

const shown = sandbox.fresh()
await shown.fill()
for (const { fill } of subjects) await fill?.(shown)
await lookAtAll(
  sandbox.origin,
  shown.world.username,
  subjects.flatMap(({ looks = [] }) => looks),
)

for (const { stories } of subjects) await stories?.(sandbox)

await sandbox.close()
process.exit(await result())
