import { systemWall } from '../../src/lib/clock/clock.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/lib/log/log.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'

/** Creates the sandbox as the command line does, in the script's process. */
export async function openSandbox(env: Record<string, string> = {}) {
  const config = readConfig({ ...process.env, ...env })
  const log = createLog({ level: 'silent', write: () => {}, terminal: false, now: systemWall })
  const sandbox = await createSandbox({ config, log })
  const home = await sandbox.worlds.authenticate('demo', 'demo')
  if (!home) throw new Error('the default world has no key demo:demo')
  return { sandbox, ...home }
}

export type Opened = Awaited<ReturnType<typeof openSandbox>>
