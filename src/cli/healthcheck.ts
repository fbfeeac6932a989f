import { Command } from 'commander'
import { durationForms } from '../lib/text/duration.ts'
import { defaultAddress } from './address.ts'
import { failed, reasonOf, Refusal } from './failures.ts'
import { durationOption, type End, jsonOption, urlOption } from './options.ts'
import { exitCodes, outputTo } from './output.ts'
import type { Process } from './process.ts'

export const healthcheckCommand = (io: Process, end: End) =>
  new Command('healthcheck')
    .description('Check that a running sandbox is healthy. Exit code 1: it is not.')
    .addOption(urlOption())
    .addOption(durationOption('--timeout', `how long to wait: ${durationForms}`, '2s'))
    .addOption(jsonOption())
    .action(async ({ url, timeout, json }: { url?: string; timeout: number; json?: boolean }) =>
      end(await healthcheck(io, url ?? defaultAddress(io.env), timeout, json)),
    )

const PATH = '/readyz'

/** Checks the sandbox at `url` for at most `timeout` milliseconds. @returns The exit code. */
async function healthcheck(io: Process, url: string, timeout: number, json = false): Promise<number> {
  const no = (why: string) => failed(io, new Refusal(`not ready: ${why}`), json)
  try {
    const answer = await fetch(new URL(PATH, url), { signal: AbortSignal.timeout(timeout) })
    if (!answer.ok) {
      const { reason } = (await answer.json().catch(() => ({}))) as { readonly reason?: string }
      return no(`${url} responds with ${answer.status}${reason ? `: ${reason}` : ''}`)
    }
    await answer.body?.cancel()
  } catch (error) {
    return no(reasonOf(error, url))
  }
  outputTo(io.out, json).say(`ready: ${url}`, { kind: 'ready', url })
  return exitCodes.done
}
