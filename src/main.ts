import { banner } from './banner.ts'
import { systemWall } from './clock.ts'
import { ConfigError, readConfig, unknownSettings } from './config.ts'
import { createLog, createOutput } from './log.ts'
import { createSandbox } from './sandbox.ts'

const output = createOutput(process.stdout)
process.on('exit', output.flush)

try {
  const config = readConfig(process.env)
  const terminal = process.stdout.isTTY === true
  const log = createLog({ level: config.logLevel, write: output.write, terminal, now: systemWall })
  for (const line of unknownSettings(process.env)) log.warn('unknown setting', { line })

  const sandbox = await createSandbox({ config, log, stop: () => void close('shutdown') })
  const { port } = await sandbox.listen()
  output.write(banner(config, port))

  let closing = false
  const close = async (signal: string) => {
    if (closing) return
    closing = true
    log.info('closing', { signal })
    await sandbox.close()
    process.exit(0)
  }
  process.on('SIGTERM', (signal) => void close(signal))
  process.on('SIGINT', (signal) => void close(signal))
} catch (error) {
  process.stderr.write(`${reasonOf(error as Error & { code?: string; port?: number })}\n`)
  process.exit(1)
}

/** What stopped the start and what to do, in a line where that is known. */
function reasonOf(error: Error & { code?: string; port?: number }): string {
  if (error instanceof ConfigError || error.name === 'SeedError') return error.message
  if (error.code === 'EADDRINUSE')
    return `Port ${error.port} is in use. Set PORT to another one, or to 0 for any free one.`
  if (error.code === 'EACCES' && error.port)
    return `Port ${error.port} may not be opened by this user. Set PORT to one above 1023.`
  return error.stack ?? error.message
}
