import { Command } from '@commander-js/extra-typings'
import { pause, systemWall } from '../lib/clock/clock.ts'
import { durationForms } from '../lib/text/duration.ts'
import { defaultAddress } from './address.ts'
import { reasonOf, Refusal } from './failures.ts'
import { durationOption, durationOr, type End, plainCommand, urlOption } from './options.ts'
import type { Process } from './process.ts'

export const healthcheckCommand = (io: Process, end: End) =>
  plainCommand(io, end)(
    new Command('healthcheck')
      .description('Check that a running sandbox is healthy. Exit code 1: it is not.')
      .addOption(urlOption())
      .addOption(durationOr('--timeout', `how long one check may take: ${durationForms}`, '2s'))
      .addOption(durationOption('--wait', 'how long to wait until it is healthy')),
    async ({ out }, { url = defaultAddress(io.env), timeout, wait = 0 }) => {
      const problem = await problemOf(url, timeout, wait)
      if (problem !== undefined) throw new Refusal(`not ready: ${problem}`)
      out.say(`ready: ${url}`, { kind: 'ready', url })
    },
  )

const PATH = '/readyz'

/** Its body, which a proxy may leave out. */
const READY = { status: 'ok' }

/** Milliseconds between two checks. */
const PAUSE = 250

/**
 * Resolves to undefined once the sandbox at `url` is healthy, or to the last problem.
 * @param timeout - Milliseconds for one check.
 * @param wait - Milliseconds for all checks; the first is always made.
 * @param ended - Ends the checks.
 */
export async function problemOf(
  url: string,
  timeout: number,
  wait: number,
  ended?: AbortSignal,
): Promise<string | undefined> {
  const end = systemWall() + wait
  for (;;) {
    const problem = await check(url, timeout)
    if (problem === undefined || ended?.aborted || systemWall() >= end) return problem
    await pause(PAUSE, ended)
  }
}

async function check(url: string, timeout: number): Promise<string | undefined> {
  try {
    const answer = await fetch(new URL(PATH, url), { signal: AbortSignal.timeout(timeout) })
    if (!answer.ok) {
      const { reason } = (await answer.json().catch(() => ({}))) as { readonly reason?: string }
      return `${url} responds with ${answer.status}${reason ? `: ${reason}` : ''}`
    }
    const body = (await answer.json().catch(() => READY)) as Partial<typeof READY> | null
    return body?.status === READY.status
      ? undefined
      : `${url} responds like another program: is it a sandbox?`
  } catch (error) {
    return reasonOf(error, url)
  }
}
