/** The sandbox on a port over the configured engine; replies to any message with its statement counts. */
import { systemWall } from '../../src/lib/clock/clock.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/lib/log/log.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { openEngine } from '../../src/sandbox/engine.ts'

const config = readConfig(process.env)
const log = createLog({
  level: 'error',
  write: (line) => process.stderr.write(line),
  terminal: false,
  now: systemWall,
})
const engine = await openEngine(config, log, (error) => log.error('listener', { error: String(error) }), {})
const sandbox = await createSandbox({ config, log, engine })
process.on('message', () =>
  process.send?.(engine.stats ?? { trips: 0, statements: 0, batches: 0, changes: 0 }),
)
process.on('SIGTERM', () => void sandbox.close().then(() => engine.close().then(() => process.exit(0))))
await sandbox.listen()
