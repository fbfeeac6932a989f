import { readStream, type StreamPiece } from '../client/events.ts'
import { createTransport, type Ask, type Credentials } from '../client/transport.ts'
import { OWN_AGENT } from '../lib/own-agent.ts'
import { unreachable } from './unreachable.ts'

/** A running sandbox, and who asks it. */
export interface Target extends Credentials {
  /** Without a slash at its end. */
  readonly url: string
}

/** No sandbox answers, or it does not let the user in. The message is for the user. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  /** It answered, but not to these credentials. */
  readonly refused: boolean
  constructor(message: string, refused = false) {
    super(message)
    this.refused = refused
  }
}

/** With method GET when none is said. */
export interface AskOptions extends Omit<Ask, 'query'> {
  readonly method?: string
}

/** Asks with the user's credentials. @throws ClientError when no answer comes or the credentials are refused */
export async function ask(target: Target, path: string, options: AskOptions = {}): Promise<Response> {
  const { method = 'GET', headers, ...rest } = options
  const sent = { ...rest, headers: { 'user-agent': OWN_AGENT, ...headers } }
  const answer = await createTransport(target.url, target, { send: fetch, leadsThere: () => true })
    .send(method, path, sent)
    .catch((error: Error) => {
      if (sent.signal?.aborted) throw error
      throw new ClientError(unreachable(error, target.url))
    })
  return known(target, answer)
}

/** @throws ClientError when the credentials are refused */
export function known({ url, username }: Target, answer: Response): Response {
  if (answer.status !== 401) return answer
  const hint = answer.headers.get('sandbox-hint')
  const why = hint === null ? '.' : `: ${hint}.`
  throw new ClientError(`${url} does not know the user "${username}" with this password${why}`, true)
}

/** The JSON of a control operation. @throws ClientError when it is not answered 200 */
export async function askFor<T>(target: Target, path: string, options?: AskOptions): Promise<T> {
  return jsonOf<T>(target, path, await ask(target, path, options))
}

/** The same of something that may be gone; undefined when it is. */
export async function askForOne<T>(target: Target, path: string): Promise<T | undefined> {
  const answer = await ask(target, path)
  return answer.status === 404 ? undefined : jsonOf<T>(target, path, answer)
}

async function jsonOf<T>(target: Target, path: string, answer: Response): Promise<T> {
  const text = await answer.text()
  if (answer.ok) return JSON.parse(text) as T
  throw new ClientError(`${target.url}${path} answers ${answer.status}: ${text.slice(0, 200)}`)
}

/**
 * What happens in the user's world from now on, or after the event `after`. Ends with the stream.
 * @param connected called once the sandbox streams
 * @throws ClientError when it cannot be had
 */
export async function* streamEvents(
  target: Target,
  options: {
    readonly after?: string | undefined
    readonly signal: AbortSignal
    readonly connected?: () => void
  },
): AsyncGenerator<StreamPiece> {
  const { after, signal, connected } = options
  const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after }
  const answer = await ask(target, '/sandbox/events', { headers, signal })
  if (!answer.ok || !answer.body || !answer.headers.get('content-type')?.startsWith('text/event-stream'))
    throw new ClientError(`${target.url} streams no events (it answers ${answer.status}): is it a sandbox?`)
  connected?.()
  yield* readStream(answer.body, signal)
}
