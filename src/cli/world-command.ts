import type { Command, OptionValues } from '@commander-js/extra-typings'
import { foreignAnswer } from '../client/connect.ts'
import { createTransport, type Reach } from '../client/transport.ts'
import { createWorldClient, type WorldClient } from '../client/world-client.ts'
import { OWN_AGENT } from '../lib/text/headers.ts'
import { ClientError, Refusal, unreachable } from './failures.ts'
import {
  type End,
  plainCommand,
  type Target,
  targetOf,
  type TargetOptions,
  type Task,
  urlOption,
  userOption,
} from './options.ts'
import { exitCodes } from './output.ts'
import type { Process } from './process.ts'

/** A world of a running sandbox, and the output of a command. */
export interface Session extends Task {
  readonly target: Target
  readonly world: WorldClient
  /** The flags of the target, for printed commands. */
  readonly flags: string
}

/**
 * Adds the shared flags and the action of a command that uses a running sandbox. `work` receives the command's arguments and
 * options, and may return an exit code.
 */
export const worldCommand =
  (io: Process, end: End) =>
  <Given extends unknown[], Options extends OptionValues>(
    command: Command<Given, Options>,
    work: (session: Session, ...given: [...Given, Options]) => Promise<number | void>,
  ) =>
    plainCommand(io, end)(command.addOption(urlOption()).addOption(userOption()), (task, ...given) => {
      const options = given.at(-1) as Options & TargetOptions
      const target = targetOf(io, options)
      const session = { ...task, target, world: worldAt(target), flags: flagsOf(options) }
      return work(session, ...(given as unknown as [...Given, Options]))
    })

function flagsOf({ url, user }: TargetOptions): string {
  const at = url === undefined ? '' : ` --url ${url}`
  // Only the documented password is printed.
  return user ? `${at} --user ${user.username}:${user.password === 'demo' ? 'demo' : 'PASSWORD'}` : at
}

/** Returns the client of the user's world. It throws a ClientError if no sandbox answers or it rejects the credentials. */
export function worldAt(target: Target): WorldClient {
  const { origin } = new URL(target.url)
  let recognized: Promise<void> | undefined
  const reach: Reach = {
    leadsThere: (address) => address.origin === origin,
    send: async (request) => {
      await (recognized ??= requireName(target))
      // Certify excludes requests with this user agent.
      if (!request.headers.has('user-agent')) request.headers.set('user-agent', OWN_AGENT)
      const answer = await fetch(request).catch((error: Error) => {
        if (request.signal.aborted) throw error
        throw new ClientError(unreachable(error, target.url))
      })
      return requireSandbox(target, request, requireCredentials(target, answer))
    },
  }
  return createWorldClient(createTransport(target.url, target, reach), reach)
}

/** @throws {ClientError} If the credentials are rejected. */
function requireCredentials({ url, username }: Target, answer: Response): Response {
  if (answer.status !== 401) return answer
  const hint = answer.headers.get('sandbox-hint')
  const why = hint === null ? '.' : `: ${hint}.`
  throw new ClientError(`${url} rejects the user "${username}" with this password${why}`, true)
}

/** @throws {ClientError} If another program responds. */
async function requireName({ url }: Target): Promise<void> {
  const problem = await foreignAnswer(url, { 'user-agent': OWN_AGENT })
  if (problem !== undefined) throw new ClientError(problem)
}

/** @throws {ClientError} For a control API response that no sandbox sends. Outcomes can make the service respond with anything. */
function requireSandbox({ url }: Target, request: Request, answer: Response): Response {
  const type = answer.headers.get('content-type') ?? 'nothing'
  const isForeign = answer.status >= 400 ? !type.includes('json') : type.startsWith('text/html')
  if (!isForeign || !request.url.startsWith(`${url}/sandbox/`)) return answer
  throw new ClientError(
    `${url} responds with ${answer.status} and ${type.replace(/;.*/, '')}: is it a sandbox?`,
  )
}

/** Returns the address of a page of the dashboard, in the world of the credentials. @param page - Such as `transactions`. */
export const dashboardOf = ({ url, username }: Target, page = '') =>
  `${url}/dashboard#/${encodeURIComponent(username)}${page === '' ? '' : `/${page}`}`

/**
 * Requires `--yes` or a confirmation at the terminal for a change that cannot be undone.
 * @param loss - Such as `This deletes the world demo`.
 * @throws {Refusal} If no one confirms it.
 */
export async function requireYes(
  { io }: Session,
  { yes }: { readonly yes?: boolean },
  loss: string,
): Promise<void> {
  if (yes) return
  if (!io.confirm) throw new Refusal(`${loss}, which cannot be undone: add --yes to confirm`, exitCodes.usage)
  if (!(await io.confirm(`${loss}, which cannot be undone. Continue?`)))
    throw new Refusal('Nothing was changed.')
}
