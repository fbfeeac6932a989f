import { connect } from '../client/connect.ts'
import { createSandbox } from '../index.ts'
import { serveOverStdio } from '../mcp/server.ts'
import { exitCodes } from './exit-codes.ts'
import { targetOf, type TargetOptions } from './options.ts'
import type { Process } from './process.ts'

/**
 * Serves tools for agents until whoever started it is gone: for a sandbox that runs, or for one of its own. Standard output is
 * the protocol's alone. Returns the exit code.
 */
export async function mcp(io: Process, options: TargetOptions & { json?: boolean }): Promise<number> {
  const { url, username, password } = targetOf(io, options)
  const own = options.url === undefined ? await startOwn(io, options.json) : undefined
  // Nobody need be there yet: tools say so, and an agent may start one.
  const world = connect(own?.url ?? url, { username, password })
  const served = await serveOverStdio(world, world.url)
  await Promise.race([io.stopped(), served.ended])
  await served.close()
  await own?.close()
  return exitCodes.done
}

/** A sandbox of this process, set as by `start`, at any free port unless one is named. */
async function startOwn({ env, err }: Process, json = false) {
  const sandbox = await createSandbox({ env: { ...env, SANDBOX_LOG_LEVEL: 'silent' } })
  const url = await sandbox.listen()
  const line = json ? JSON.stringify({ kind: 'listening', url }) : `a sandbox of its own listens at ${url}`
  err.write(`${line}\n`)
  return { url, close: () => sandbox.close() }
}
