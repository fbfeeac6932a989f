import type { Context, Hono } from 'hono'
import { invalid, ServiceError } from '../service/domain/errors.ts'
import { refuseForeignOrigin } from '../http/admin-guard.ts'
import { authenticate, credentialsOf } from '../http/authorize.ts'
import type { Dependencies } from '../http/dependencies.ts'
import type { Env } from '../http/exchange.ts'
import { cuts, incomingOf, originOf } from '../http/caller.ts'
import { parseJson, readText, requireShallow } from '../http/read-request.ts'
import type { World } from '../worlds/world.ts'
import { requestTurns } from '../lib/clock/clock.ts'
import { isObject } from '../lib/objects.ts'

/** Sends a request within the process, in the environment of the original request. */
export type Within = (request: Request, env: object) => Response | Promise<Response>

const OFF = 'the Model Context Protocol is off; start the sandbox with SANDBOX_MCP=on'

/** Maximum number of messages in a batch. */
const MOST_MESSAGES = 10

/** Headers with the client's address and identity, which requests on its behalf repeat. */
const HANDED_ON = [
  'host',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-forwarded-proto',
]

/** Serves `/mcp`: tools for agents that write integrations. The credentials determine the world. */
export function mcpDoor(app: Hono<Env>, serving: Dependencies, within: Within, on: boolean): void {
  const { callers, corsOrigins } = serving
  app.post('/mcp', async (c) => {
    if (!on) throw new ServiceError('resource_not_found', OFF)
    // Protects local sandboxes against requests from other sites (DNS rebinding).
    refuseForeignOrigin(c, corsOrigins)
    const { caller, world } = await authenticate(c, serving).catch(tellHow(c))
    await callers.useKey(caller.username)
    await world.budget.take('requests')
    await requestTurns.enter(world.name)
    const body = parseJson(await readText(c), c.req.header('content-type'))
    if (isObject(body)) requireShallow(body)
    if (Array.isArray(body)) await countBatch(body, world)
    const { answerMessage } = await import('../mcp/server.ts')
    return answerMessage({
      request: c.req.raw,
      body,
      credentials: credentialsOf(c)!,
      address: originOf(c),
      send: handOn(c, within),
    })
  })
}

/** Counts the further messages of a batch. @throws {ServiceError} 400 for too many, 429 */
async function countBatch(messages: readonly unknown[], { budget }: World): Promise<void> {
  if (messages.length > MOST_MESSAGES)
    throw invalid(
      `the batch must have at most ${MOST_MESSAGES} messages, got ${messages.length}; send the others in further requests`,
    )
  for (let n = 1; n < messages.length; n++) await budget.take('requests')
}

/** @throws {ServiceError} the same error, with how to authenticate */
function tellHow(c: Context): (error: unknown) => never {
  return (error) => {
    if (error instanceof ServiceError && error.code === 'unauthenticated')
      throw new ServiceError(
        error.code,
        `${error.message}; set them as headers of this server in the agent's configuration, see ${originOf(c)}/docs/guides/coding-agents`,
      )
    throw error
  }
}

function handOn(c: Context, within: Within): (request: Request) => Promise<Response> {
  const incoming = incomingOf(c)
  return async (request) => {
    const headers = new Headers(request.headers)
    for (const name of HANDED_ON) {
      const value = c.req.header(name)
      if (value !== undefined) headers.set(name, value)
    }
    const asked = new Request(request, { headers })
    const answer = await within(asked, {
      ...(c.env as object | undefined),
      // The request has headers and a body of its own, from the same address.
      ...(incoming && { incoming: { socket: incoming.socket, rawHeaders: [...headers].flat() } }),
      // A scenario that breaks a connection must not break the agent's, which receives the error instead.
      outgoing: undefined,
    })
    const cut = cuts.get(asked)
    if (cut) throw cut
    return answer
  }
}
