import { Command, Option } from '@commander-js/extra-typings'
import { addressIn } from './address.ts'
import { type End, plainCommand, readAddress, targetOf, userOption } from './options.ts'
import type { Process } from './process.ts'
import { connect } from '../client/connect.ts'
import { createSandbox } from '../index.ts'
import { serveOverStdio } from '../mcp/server.ts'

export const mcpCommand = (io: Process, end: End) =>
  plainCommand(io, end)(
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
      .addOption(userOption()),
    async ({ json }, options) => {
      const { url, username, password } = targetOf(io, options)
      const own = (options.url ?? addressIn(io.env)) === undefined ? await startOwn(io, json) : undefined
      // The sandbox may start later; until then, tools return errors.
      const world = connect(own?.url ?? url, { username, password })
      // Standard output is reserved for the protocol.
      const served = await serveOverStdio(world, world.url)
      await Promise.race([io.stopped(), served.ended])
      await served.close()
      await own?.close()
    },
  )

async function startOwn({ env, err }: Process, json: boolean) {
  const sandbox = await createSandbox({ env: { ...env, SANDBOX_LOG_LEVEL: 'silent' } })
  const url = await sandbox.listen()
  const line = json ? JSON.stringify({ kind: 'listening', url }) : `started a sandbox at ${url}`
  err.write(`${line}\n`)
  return { url, close: () => sandbox.close() }
}
