import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { reasonOf, Refusal, unlessUnknown } from './failures.ts'
import { type End, readReceiver } from './options.ts'
import { exitCodes, painter, type Output } from './output.ts'
import type { Process } from './process.ts'
import { followEvents } from './reconnecting-stream.ts'
import { worldCommand } from './world-command.ts'
import type { Transaction, WorldEvent } from '../client/types.ts'
import type { WorldClient } from '../client/world-client.ts'
import { systemWall } from '../lib/clock/clock.ts'
import { didYouMean } from '../lib/text/suggest.ts'

export const listenCommand = (io: Process, end: End) =>
  worldCommand(io, end)(
    new Command('listen')
      .description(
        "Forward every callback of the user's world to a server on this machine, with unchanged headers and body, so that " +
          'signatures stay valid. Payments can have any callback_url; to avoid retries, use a reachable one, such as the address ' +
          'from GET /sandbox/inbox/dev.',
      )
      .option(
        '--forward-to <address>',
        'the local server, such as localhost:3000 or 3000; without a path, each callback keeps its own path',
        readReceiver,
      )
      .addOption(
        new Option(
          '--route <what=address>',
          'forward callbacks with this path, such as /hooks/payouts=http://localhost:3001, path prefix (/hooks/*) or operation of the ' +
            'payment (createWithdrawal); repeatable, the first match wins',
        ).argParser(readRoute),
      )
      .option('--print-secret', 'first print the signing secret of callbacks'),
    async ({ target, world, out, json }, { forwardTo, route = [], printSecret }) => {
      if (forwardTo === undefined && route.length === 0)
        throw new Refusal(
          'pass the destination of callbacks with --forward-to <address> or --route <what=address>',
          exitCodes.usage,
          'missing_option',
        )
      if (printSecret) {
        const secret = await world.signatures.secret()
        out.say(`the signing secret of callbacks is ${secret}`, { kind: 'secret', secret })
      }
      const { url, username } = target
      const to = [...route.map((each) => `${each.path ?? each.operation} to ${each.to}`), forwardTo ?? []]
      const connected = (again: boolean) => {
        const who = again ? 'again' : `as ${username}; callbacks go to ${to.flat().join(', ')}`
        const fact = { kind: 'listening', url, username, forward_to: forwardTo ?? null, routes: route }
        out.say(`listening to ${painter(io.out.colours)('bold', url)} ${who}`, fact)
      }
      const onEvent = createForwarder(out, createRouter(route, forwardTo))
      return followEvents(io, target, { json, connected, onEvent })
    },
  )

/** Milliseconds; as long as the sandbox would wait. */
const TIMEOUT = 10_000

/**
 * Returns a listener that forwards and prints each delivery attempt, until the local server has accepted the callback.
 */
function createForwarder(out: Output, route: Router) {
  const paint = painter(out.colours)
  /** Per callback: the number of attempts, and whether the local server has accepted it. */
  const progress = new Map<string, { seen: number; accepted: boolean }>()

  return async ({ type, data }: WorldEvent, world: WorldClient): Promise<void> => {
    const id = data['callback_id']
    if (type !== 'attempt' || typeof id !== 'number') return
    const details = await world.callbacks.get(id).catch(unlessUnknown)
    // The callback was deleted, by a reset or to make room for newer ones.
    if (!details) return
    const { callback, attempts } = details
    // The ids of callbacks restart after a reset or a restart.
    const key = `${id} ${callback.created_at} ${callback.transaction}`
    const { seen, accepted } = progress.get(key) ?? { seen: attempts.length - 1, accepted: false }
    const now = { seen: attempts.length, accepted }
    progress.set(key, now)
    for (const { url, request } of attempts.slice(seen)) {
      if (now.accepted) return
      const to = await route({ url, ...request }, callback.transaction, world)
      if (!to) {
        out.say(`callback ${id} to ${url} has no route`, { kind: 'no_route', callback: id, url })
        return
      }
      const result = await send({ url, ...request }, to)
      now.accepted = result.ok
      const about = callback.external_reference || callback.transaction
      const answer = paint(result.ok ? 'green' : 'red', result.text)
      const { status, error, duration_ms } = result
      const fact = { kind: 'forwarded', callback: id, of: about, url: to.href, status, error, duration_ms }
      out.say(`${result.time}  callback ${id} of ${about}  POST ${to.pathname}${to.search}  ${answer}`, fact)
    }
  }
}

async function send(sent: SentCallback, to: URL) {
  const started = systemWall()
  const time = new Date(started).toISOString().slice(11, 19)
  const answer = await forward(sent, to, TIMEOUT).catch((error: unknown) => reasonOf(error, to.origin))
  const duration_ms = systemWall() - started
  if (typeof answer === 'string')
    return { ok: false, text: answer, time, status: null, error: answer, duration_ms }
  const ok = answer >= 200 && answer < 300
  return { ok, text: `${answer} in ${duration_ms} ms`, time, status: answer, error: '', duration_ms }
}

/** Forwards callbacks with a path, or of an operation's payments, to a local server. */
interface Route {
  /** A path, or a prefix with `*` at its end. */
  readonly path?: string
  readonly operation?: string
  readonly to: string
}

/** The operations that cause callbacks. */
const paying: readonly string[] = [
  'createCollection',
  'createWithdrawal',
  'createGlobalPayment',
  'topUpServiceWallet',
] satisfies readonly Transaction['operation'][]

/** Parses `/hooks/payouts=http://localhost:3001`, or the same with an operation, and appends it to the routes. */
function readRoute(text: string, before: readonly Route[] = []): readonly Route[] {
  const [, what = '', to] = /^([^=]+)=([^]+)$/.exec(text) ?? []
  if (to === undefined)
    throw new InvalidArgumentError(
      'Accepted: a path or an operation and an address, such as /hooks/payouts=http://localhost:3001.',
    )
  if (what.startsWith('/')) return [...before, { path: what, to: readReceiver(to) }]
  if (!paying.includes(what))
    throw new InvalidArgumentError(
      `No operation ${what} makes payments${didYouMean(what, paying)}. Accepted: ${paying.join(', ')}, or a path that begins with /.`,
    )
  return [...before, { operation: what, to: readReceiver(to) }]
}

/** Returns the destination of a callback, if any. */
type Router = (sent: SentCallback, transaction: string, world: WorldClient) => Promise<URL | undefined>

function createRouter(routes: readonly Route[], forwardTo: string | undefined): Router {
  const byOperation = routes.some(({ operation }) => operation !== undefined)
  return async (sent, transaction, world) => {
    const { pathname } = new URL(sent.url)
    const operation = byOperation ? await operationOf(world, transaction) : undefined
    const route = routes.find(
      (each) =>
        (each.path !== undefined && isAt(pathname, each.path)) ||
        (each.operation !== undefined && each.operation === operation),
    )
    const to = route?.to ?? forwardTo
    return to === undefined ? undefined : localUrl(to, sent)
  }
}

const isAt = (pathname: string, path: string) =>
  path.endsWith('*') ? pathname.startsWith(path.slice(0, -1)) : pathname === path

const operationOf = async (world: WorldClient, transaction: string) =>
  (await world.transactions.get(transaction).catch(unlessUnknown))?.transaction.operation

interface SentCallback {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

const connectionHeaders = ['host', 'content-length', 'connection', 'transfer-encoding']

/**
 * Returns the path of `forwardTo` if it has one, otherwise that of the callback.
 */
export function localUrl(forwardTo: string, { url }: SentCallback): URL {
  const target = new URL(forwardTo)
  if (target.pathname !== '/' || target.search) return target
  const { pathname, search } = new URL(url)
  return new URL(`${pathname}${search}`, target)
}

/**
 * Forwards a callback with its headers and body. It keeps the Host header only if the signature covers it. `fetch` cannot
 * set the Host header.
 * @returns The status. @throws {Error} Without a response within `timeout` milliseconds.
 */
export function forward(sent: SentCallback, to: URL, timeout: number): Promise<number> {
  const body = Buffer.from(sent.body, 'utf8')
  const signedHost = Object.keys(sent.headers).some((name) => name.toLowerCase() === 'signature-input')
  const headers = Object.entries(sent.headers).filter(
    ([name]) => !connectionHeaders.includes(name.toLowerCase()),
  )
  return new Promise((resolve, reject) => {
    const request = (to.protocol === 'https:' ? requestHttps : requestHttp)(to, {
      method: 'POST',
      headers: {
        ...Object.fromEntries(headers),
        host: signedHost ? new URL(sent.url).host : to.host,
        'content-length': body.length,
      },
      signal: AbortSignal.timeout(timeout),
    })
    request.on('error', reject)
    request.on('response', (answer) => {
      answer.on('error', reject)
      answer.resume().on('end', () => resolve(answer.statusCode!))
    })
    request.end(body)
  })
}
