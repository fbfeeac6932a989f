import { Command, Option } from 'commander'
import { jsonOption, readAddress, targetOf, type TargetOptions, userOption } from './options.ts'
import { exitCodes } from './output.ts'
import type { Process } from './process.ts'
import type { End } from './options.ts'
import { connect } from '../client/connect.ts'
import { createSandbox } from '../index.ts'
import { serveOverStdio } from '../mcp/server.ts'

export const mcpCommand = (io: Process, end: End) =>
  new Command('mcp')
    .description(
      'Serve tools for agents (Model Context Protocol) over standard input and output: for the sandbox at --url, or, without it, ' +
        'for one of its own, which takes the settings of start from the environment and listens at any free port unless PORT says which.',
    )
    .addOption(
      new Option('--url <address>', 'the sandbox to work in (default: one of its own)').argParser(
        readAddress,
      ),
    )
    .addOption(userOption())
    .addOption(jsonOption())
    .action(async (options: TargetOptions & { json?: boolean }) => end(await mcp(io, options)))

/**
 * Serves tools for agents until whoever started it is gone: for a sandbox that runs, or for one of its own. Standard output is
 * the protocol's alone. Returns the exit code.
 */
async function mcp(io: Process, options: TargetOptions & { json?: boolean }): Promise<number> {
  const { url, username, password } = targetOf(io, options)
  const own = options.url === undefined ? await startOwn(io, options.json) : undefined
  // The sandbox need not run yet: the errors of tools say so, and an agent may start one.
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
