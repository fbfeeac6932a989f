import type { Target } from './client.ts'
import { exitCodes } from './exit-codes.ts'
import { failed } from './failed.ts'
import { painter } from './paint.ts'
import type { Process } from './process.ts'
import { type Route, wayBy } from './routes.ts'
import { createSendOn } from './send-on.ts'
import { worldAt } from './session.ts'
import { stay } from './stay.ts'
import { type Teller, tellerTo } from './teller.ts'

export interface ListenOptions {
  readonly forwardTo?: string
  readonly route?: readonly Route[]
  readonly printSecret?: boolean
  readonly json?: boolean
}

/**
 * Sends every callback of the user's world on to servers on this machine, until a signal asks it to stop; a sandbox
 * that goes away is waited for. Returns the exit code.
 */
export async function listen(io: Process, target: Target, options: ListenOptions): Promise<number> {
  const { forwardTo, route = [], printSecret = false, json = false } = options
  if (forwardTo === undefined && route.length === 0) {
    io.err.write(
      "error: say where callbacks go, by option '--forward-to <address>' or '--route <what=address>'\n",
    )
    return exitCodes.usage
  }
  const out = tellerTo(io.out, json)
  try {
    if (printSecret) await tellSecret(out, target)
  } catch (error) {
    return failed(io, error, json)
  }
  const { url, username } = target
  const to = [...route.map((each) => `${each.path ?? each.operation} to ${each.to}`), forwardTo ?? []].flat()
  const connected = (again: boolean) => {
    const who = again ? 'again' : `as ${username}; callbacks go to ${to.join(', ')}`
    const fact = { kind: 'listening', url, username, forward_to: forwardTo ?? null, routes: route }
    out.say(`listening to ${painter(io.out.colours)('bold', url)} ${who}`, fact)
  }
  const tell = createSendOn(out, target, wayBy(target, route, forwardTo))
  return stay(io, target, { json, connected, tell })
}

async function tellSecret(out: Teller, target: Target): Promise<void> {
  const secret = await worldAt(target).signatures.secret()
  out.say(`callbacks are signed with ${secret}`, { kind: 'secret', secret })
}
