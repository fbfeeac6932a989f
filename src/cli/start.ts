import type { AddressInfo } from 'node:net'
import { systemWall } from '../lib/clock/clock.ts'
import { type Config, ignoredValues, readConfig, unknownSettings } from '../config/config.ts'
import { packageVersion } from '../files.ts'
import { createLog, type LogLevel } from '../lib/log/log.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { followHeap } from '../sandbox/limits.ts'
import { localAddress } from './address.ts'
import { exitCodes } from './exit-codes.ts'
import { openInBrowser } from './open.ts'
import type { Process, Writer } from './process.ts'
import { startFailure } from './start-failure.ts'

export interface StartOptions {
  /** Show the dashboard in a browser once it listens. */
  readonly open?: boolean
  /** What is printed is for a program. */
  readonly json?: boolean
}

/** Runs a sandbox until a signal asks it to stop. Returns the exit code. */
export async function start(io: Process, { open, json = false }: StartOptions): Promise<number> {
  const { env, err, stopped } = io
  const out = json ? { ...io.out, terminal: false } : io.out
  const stop = stopped()
  try {
    const config = readConfig(env)
    const log = logTo(out, config.logLevel)
    for (const line of unknownSettings(env)) log.warn('unknown setting', { line })
    for (const line of ignoredValues(env)) log.warn('setting ignored', { line })

    let shutDown = (_reason: string) => {}
    const asked = new Promise<string>((resolve) => (shutDown = resolve))
    const sandbox = await createSandbox({
      config,
      log,
      stop: () => shutDown('shutdown'),
      heapGrowth: followHeap(),
    })
    const { address, port } = await sandbox.listen().catch(async (error: unknown) => {
      // What it has open would keep the process.
      await sandbox.close()
      throw error
    })
    if (config.logLevel !== 'silent') await announce(out, config, sandbox, { address, port })
    if (open) {
      const dashboard = `${localAddress(config.host, port)}/dashboard`
      openInBrowser(dashboard, () =>
        err.write(`No browser could be opened here; the dashboard is at ${dashboard}\n`),
      )
    }

    log.info('closing', { signal: await Promise.race([stop, asked]) })
    await sandbox.close()
    return exitCodes.done
  } catch (error) {
    const { line, code } = startFailure(error)
    err.write(`${line}\n`)
    return code
  }
}

const logTo = ({ write, writeLine = write, terminal }: Writer, level: LogLevel) =>
  createLog({ level, write: writeLine, terminal, now: systemWall })

/** A person is shown the first screen; a program is told in a line, whatever the level of the others is. */
async function announce(
  out: Writer,
  config: Config,
  { guide }: Sandbox,
  { address, port }: Pick<AddressInfo, 'address' | 'port'>,
): Promise<void> {
  if (out.terminal) {
    const [{ banner }, { painter }] = await Promise.all([import('./banner.ts'), import('./paint.ts')])
    return out.write(banner(config, guide, port, painter(out.colours)))
  }
  const url = localAddress(config.host, port)
  const at = { address, port, url, version: packageVersion(), pid: process.pid }
  logTo(out, 'info').info('listening', at)
}
