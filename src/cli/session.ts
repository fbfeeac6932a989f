import { createTransport, type Reach } from '../client/transport.ts'
import type { WorldClient } from '../client/types.ts'
import { createWorldClient } from '../client/world-client.ts'
import { OWN_AGENT } from '../lib/own-agent.ts'
import { ClientError, known, type Target } from './client.ts'
import { exitCodes } from './exit-codes.ts'
import { failed, Refusal } from './failed.ts'
import { targetOf, type TargetOptions } from './options.ts'
import type { Process } from './process.ts'
import { type Teller, tellerTo } from './teller.ts'
import { unreachable } from './unreachable.ts'

/** What every command that asks a running sandbox takes. */
export interface SessionOptions extends TargetOptions {
  readonly json?: boolean
}

/** A world of a running sandbox, and where its news is told. */
export interface Session {
  readonly io: Process
  readonly target: Target
  readonly world: WorldClient
  readonly out: Teller
}

/** What is sent to the service from here proves nothing of an integration. */
function byHand(request: Request): Request {
  if (!request.headers.has('user-agent')) request.headers.set('user-agent', OWN_AGENT)
  return request
}

/** @throws ClientError for what no sandbox answers; what the service answers may be anything, as its scenarios want it */
function ofSandbox({ url }: Target, request: Request, answer: Response): Response {
  const type = answer.headers.get('content-type') ?? 'nothing'
  const strange = answer.status >= 400 ? !type.includes('json') : type.startsWith('text/html')
  if (!strange || !request.url.startsWith(`${url}/sandbox/`)) return answer
  throw new ClientError(`${url} answers ${answer.status} with ${type.replace(/;.*/, '')}: is it a sandbox?`)
}

/** The library's client of the user's world. Where no answer comes it throws a ClientError. */
export function worldAt(target: Target): WorldClient {
  const { origin } = new URL(target.url)
  const reach: Reach = {
    leadsThere: (address) => address.origin === origin,
    send: async (request) => {
      const answer = await fetch(byHand(request)).catch((error: Error) => {
        if (request.signal.aborted) throw error
        throw new ClientError(unreachable(error, target.url))
      })
      return ofSandbox(target, request, known(target, answer))
    },
  }
  return createWorldClient(createTransport(target.url, target, reach), reach)
}

/**
 * Requires a yes to a change that cannot be undone: `--yes`, or the answer of the person at the terminal.
 * @param loss what the command deletes, such as `This deletes the world demo`
 * @throws {Refusal} If no one confirms it.
 */
export async function requireYes(
  { io }: Session,
  { yes }: { readonly yes?: boolean },
  loss: string,
): Promise<void> {
  if (yes) return
  if (!io.confirm) throw new Refusal(`${loss}, which cannot be undone: add --yes to do it`, exitCodes.usage)
  if (!(await io.confirm(`${loss}, which cannot be undone. Go on?`)))
    throw new Refusal('Nothing was changed.')
}

/** Does what a command is to do in a world, and says what went wrong. @param work answers an exit code where it is not 0 */
export async function inSession(
  io: Process,
  { json = false, ...options }: SessionOptions,
  work: (session: Session) => Promise<number | void>,
): Promise<number> {
  try {
    const target = targetOf(io, options)
    return (await work({ io, target, world: worldAt(target), out: tellerTo(io.out, json) })) ?? exitCodes.done
  } catch (error) {
    return failed(io, error, json)
  }
}
