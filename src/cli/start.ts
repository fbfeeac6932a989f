import { spawn } from 'node:child_process'
import { open, readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localAddress } from './address.ts'
import { exitCodes } from './output.ts'
import type { Process, Writer } from './process.ts'
import { type Config, ConfigError, ignoredValues, readConfig, unknownSettings } from '../config/config.ts'
import { packageVersion } from '../lib/files.ts'
import { systemWall } from '../lib/clock/clock.ts'
import { createLog, type LogLevel } from '../lib/log/log.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { followHeap } from '../sandbox/worlds.ts'

/** Runs a sandbox until a signal stops it. @returns the exit code */
export async function start(
  io: Process,
  { open: opens, json }: { readonly open?: true; readonly json?: true },
): Promise<number> {
  const { env, err, stopped } = io
  const out = json ? { ...io.out, terminal: false } : io.out
  const stop = stopped()
  return unlessStartFails(io, async () => {
    const config = readConfig(env)
    const log = logTo(out, config.logLevel)
    for (const line of unknownSettings(env)) log.warn('unknown setting', { line })
    for (const line of ignoredValues(env)) log.warn('setting ignored', { line })

    let shutDown = (_reason: string) => {}
    const shutdown = new Promise<string>((resolve) => (shutDown = resolve))
    const sandbox = await createSandbox({
      config,
      log,
      stop: () => shutDown('shutdown'),
      heapGrowth: followHeap(),
    })
    const { address, port } = await sandbox.listen().catch(async (error: unknown) => {
      // Its open handles would keep the process alive.
      await sandbox.close()
      throw error
    })
    if (config.logLevel !== 'silent') await announce({ ...io, out }, config, sandbox, { address, port })
    if (opens) {
      const dashboard = `${localAddress(config.host, port)}/dashboard`
      openInBrowser(dashboard, () =>
        err.write(`Could not open a browser; the dashboard is at ${dashboard}\n`),
      )
    }

    log.info('closing', { signal: await Promise.race([stop, shutdown]) })
    await sandbox.close()
  })
}

/** Prints why a sandbox or its storage could not start. @returns The exit code. */
export async function unlessStartFails(
  { err }: Process,
  work: () => Promise<number | void>,
): Promise<number> {
  try {
    return (await work()) ?? exitCodes.done
  } catch (error) {
    const { line, code } = startFailure(error)
    err.write(`${line}\n`)
    return code
  }
}

/** Milliseconds that a sandbox in the background may take to start. */
const STARTING = 30_000

/** Starts a sandbox in the background, and waits until it is ready. @returns The exit code. */
export async function detach({ env, out, err }: Process): Promise<number> {
  const { problemOf } = await import('./healthcheck.ts')
  const { host, port } = readConfig(env)
  if (port === 0) {
    err.write(
      '--detach needs a port, because port 0 is only known to the sandbox: set SANDBOX_PORT (--port)\n',
    )
    return exitCodes.usage
  }
  const url = localAddress(host, port).replace('//localhost:', '//127.0.0.1:')
  if ((await problemOf(url, 1_000, 0)) === undefined) {
    err.write(`a sandbox already runs at ${url}; set SANDBOX_PORT (--port) to another port\n`)
    return exitCodes.start
  }
  const file = join(tmpdir(), `payments-sandbox-${port}.log`)
  const log = await open(file, 'w')
  const program = [...process.execArgv, process.argv[1]!, 'start']
  const child = spawn(process.execPath, program, {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: { ...env } as NodeJS.ProcessEnv,
  })
  const exited = new AbortController()
  child.on('exit', () => exited.abort())
  const problem = await problemOf(url, 1_000, STARTING, exited.signal)
  await log.close()
  if (problem !== undefined) {
    child.kill()
    err.write(await readFile(file, 'utf8'))
    if (!exited.signal.aborted)
      err.write(`the sandbox is not ready after ${STARTING / 1_000} s: ${problem}\n`)
    return exitCodes.start
  }
  child.unref()
  out.write(`ready: ${url}, pid ${child.pid}, log ${file}\n`)
  return exitCodes.done
}

const logTo = ({ write, writeLine = write, terminal }: Writer, level: LogLevel) =>
  createLog({ level, write: writeLine, terminal, now: systemWall })

/** Prints the first screen at a terminal, or one log line otherwise. */
async function announce(
  { out, env }: Process,
  config: Config,
  { guide }: Sandbox,
  { address, port }: Pick<AddressInfo, 'address' | 'port'>,
): Promise<void> {
  if (out.terminal) {
    const [{ banner }, { painter }] = await Promise.all([import('./banner.ts'), import('./output.ts')])
    return out.write(banner(config, guide, port, painter(out.colours), env))
  }
  const url = localAddress(config.host, port)
  const at = { address, port, url, version: packageVersion(), pid: process.pid }
  logTo(out, 'info').info('listening', at)
}

/** The command of each system that opens an address in the user's browser. */
const openers: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Opens `url` in the user's browser. @param failed - Called if there is none. */
export function openInBrowser(url: string, failed: () => void): void {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open']
  const browser = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  browser.on('error', failed)
  browser.on('exit', (code) => {
    if (code !== 0) failed()
  })
  browser.unref()
}

type SystemError = Error & {
  code?: string
  port?: number
  address?: string
  hostname?: string
  path?: string
}

/** Describes why the start failed, with advice, or returns the stack trace of a bug. */
export function startFailure(thrown: unknown) {
  const error = thrown as SystemError
  if (error instanceof ConfigError) return { line: error.message, code: exitCodes.usage }
  return { line: known(error) ?? unknown(error), code: exitCodes.start }
}

function known({ code, port, address, hostname, path }: SystemError): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is in use; set SANDBOX_PORT (--port) to another one, or to 0 for any free one`
    case 'EADDRNOTAVAIL':
      return `this machine has no address ${address}; set SANDBOX_HOST (--host) to one of its addresses, such as 127.0.0.1, or to 0.0.0.0 for all`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `SANDBOX_HOST (--host, or HOST) is "${hostname}", which does not resolve; set SANDBOX_HOST to an address of this machine, such as 127.0.0.1`
    case 'EACCES':
      if (port) return `this user may not open port ${port}; set SANDBOX_PORT (--port) to one above 1023`
      break
    case 'ENOENT':
      if (path) return `the file ${path} does not exist`
      break
  }
  return undefined
}

/** Plain errors have messages for users; built-in subclasses indicate a bug and keep their stack trace. */
function unknown(error: SystemError): string {
  const fault = [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind)
  return (fault ? error.stack : error.message) ?? String(error)
}
