import { fileURLToPath } from 'node:url'
import { bundleDashboard } from '../../build/dashboard.ts'
import { files } from '../../src/lib/files.ts'
import { budgets } from './budgets.ts'
import { lookAtAll } from './looks.ts'
import { repeatFailed, result } from './checks.ts'
import { startSandbox } from './server.ts'
import { fillAll, subjects } from './subjects.ts'

await bundleDashboard(fileURLToPath(files.dashboard))
await all()
if (repeatFailed()) await all()
process.exit(await result())

async function all() {
  const sandbox = await startSandbox()
  const shown = sandbox.fresh()
  await fillAll(shown)
  await shown.world.clock.resume()
  await lookAtAll(
    sandbox.origin,
    shown.world.username,
    subjects.flatMap(({ looks = [] }) => looks),
  )
  // Those that measure time run alone.
  await Promise.all(subjects.map((subject) => subject !== budgets && subject.stories?.(sandbox)))
  await budgets.stories!(sandbox)
  await sandbox.close()
}
