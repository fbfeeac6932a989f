import { type Credentials, type Send, createTransport } from '../client/transport.ts'
import { createWorldClient } from '../client/world-client.ts'
import { createMcpServer } from './server.ts'

/** A message of the protocol that came over HTTP, and whose it is. */
export interface Received {
  readonly request: Request
  /** Its body, read already. */
  readonly body: unknown
  readonly credentials: Credentials
  /** Where the integration reaches the sandbox. */
  readonly address: string
  /** Sends what tools ask, to the sandbox that this came to. */
  readonly send: Send
}

/** Answers it. Nothing is kept between messages, so that any process that serves the sandbox may take the next. */
export async function answerMessage({
  request,
  body,
  credentials,
  address,
  send,
}: Received): Promise<Response> {
  const { origin } = new URL(request.url)
  const reach = { send, leadsThere: (url: URL) => url.origin === origin }
  const world = createWorldClient(createTransport(origin, credentials, reach), reach)
  const library = await import('./library.ts')
  const handler = library.createMcpHandler(() => createMcpServer(library, world, address), {
    // Nothing changes by itself that could be told of.
    maxSubscriptions: 0,
    keepAliveMs: 0,
  })
  return handler.fetch(request, { parsedBody: body })
}
