import { banner } from './banner.ts'
import { systemWall } from '../clock.ts'
import { readConfig, unknownSettings } from '../config.ts'
import { createLog } from '../log.ts'
import { createSandbox } from '../sandbox.ts'
import { localAddress } from './address.ts'
import { exitCodes } from './exit-codes.ts'
import { openInBrowser } from './open.ts'
import { painter } from './paint.ts'
import type { Process } from './process.ts'
import { startFailure } from './start-failure.ts'

export interface StartOptions {
  /** Show the sandbox in a browser once it listens. */
  readonly open?: boolean
}

/** Runs a sandbox until a signal asks it to stop. Returns the exit code. */
export async function start({ env, out, err, stopped }: Process, { open }: StartOptions): Promise<number> {
  const stop = stopped()
  try {
    const config = readConfig(env)
    const log = createLog({
      level: config.logLevel,
      write: out.write,
      terminal: out.terminal,
      now: systemWall,
    })
    for (const line of unknownSettings(env)) log.warn('unknown setting', { line })

    let shutDown = (_reason: string) => {}
    const asked = new Promise<string>((resolve) => (shutDown = resolve))
    const sandbox = await createSandbox({ config, log, stop: () => shutDown('shutdown') })
    const { port } = await sandbox.listen()
    out.write(banner(config, sandbox.guide, port, painter(out.colours)))
    if (open) openInBrowser(`${localAddress(config.host, port)}/`)

    log.info('closing', { signal: await Promise.race([stop, asked]) })
    await sandbox.close()
    return exitCodes.done
  } catch (error) {
    const { line, code } = startFailure(error)
    err.write(`${line}\n`)
    return code
  }
}
