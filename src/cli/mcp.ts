import { Command, Option } from 'commander'
import { addressIn } from './address.ts'
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
      'Serve tools for agents (Model Context Protocol) over standard input and output, for the sandbox at --url or PAYMENTS_SANDBOX_URL. Without ' +
        'them, start a sandbox with the settings of the environment, at any free port unless PORT is set.',
    )
    .addOption(
      new Option(
        '--url <address>',
        'the address of the sandbox (default: PAYMENTS_SANDBOX_URL, or start one)',
      ).argParser(readAddress),
    )
    .addOption(userOption())
    .addOption(jsonOption())
    .action(async (options: TargetOptions & { json?: boolean }) => end(await mcp(io, options)))

/**
 * Serves tools until the client disconnects. Standard output is reserved for the protocol.
 * @returns The exit code.
 */
async function mcp(io: Process, options: TargetOptions & { json?: boolean }): Promise<number> {
  const { url, username, password } = targetOf(io, options)
  const own = (options.url ?? addressIn(io.env)) === undefined ? await startOwn(io, options.json) : undefined
  // The sandbox may start later; until then, tools return errors.
  const world = connect(own?.url ?? url, { username, password })
  const served = await serveOverStdio(world, world.url)
  await Promise.race([io.stopped(), served.ended])
  await served.close()
  await own?.close()
  return exitCodes.done
}

async function startOwn({ env, err }: Process, json = false) {
  const sandbox = await createSandbox({ env: { ...env, SANDBOX_LOG_LEVEL: 'silent' } })
  const url = await sandbox.listen()
  const line = json ? JSON.stringify({ kind: 'listening', url }) : `started a sandbox at ${url}`
  err.write(`${line}\n`)
  return { url, close: () => sandbox.close() }
}
