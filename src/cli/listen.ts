import { Command, InvalidArgumentError, Option } from 'commander'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { failed, reasonOf, unlessUnknown } from './failures.ts'
import {
  jsonOption,
  readAddress,
  type Target,
  targetOf,
  type TargetOptions,
  urlOption,
  userOption,
} from './options.ts'
import { exitCodes, painter, type Output, outputTo } from './output.ts'
import type { Process } from './process.ts'
import { followEvents } from './reconnecting-stream.ts'
import type { End } from './options.ts'
import { worldAt } from './world-command.ts'
import type { Transaction, WorldEvent } from '../client/types.ts'
import type { WorldClient } from '../client/world-client.ts'
import { systemWall } from '../lib/clock/clock.ts'
import { didYouMean } from '../lib/text/suggest.ts'

export const listenCommand = (io: Process, end: End) =>
  new Command('listen')
    .description(
      "Send every callback of the user's world on to a server on this machine, headers and bytes unchanged, so that " +
        'signatures hold. The callback_url of the payments can be any; one that the sandbox reaches is not retried in ' +
        'vain, such as the address that GET /sandbox/inbox/dev tells.',
    )
    .addOption(
      new Option(
        '--forward-to <address>',
        'the local server; with a path all callbacks go there, else each to its own path',
      ).argParser(readAddress),
    )
    .addOption(
      new Option(
        '--route <what=address>',
        'callbacks of a path go there, such as /hooks/payouts=http://localhost:3001; /hooks/* stands for all paths that begin so, createWithdrawal ' +
          'for the payments of that operation; again for more, the first that fits counts',
      ).argParser(readRoute),
    )
    .option('--print-secret', 'print first what the callbacks are signed with')
    .addOption(urlOption())
    .addOption(userOption())
    .addOption(jsonOption())
    .action(async (options: TargetOptions & ListenOptions) => {
      end(await listen(io, targetOf(io, options), options))
    })

interface ListenOptions {
  readonly forwardTo?: string
  readonly route?: readonly Route[]
  readonly printSecret?: boolean
  readonly json?: boolean
}

/**
 * Sends every callback of the user's world on to servers on this machine, until a signal asks it to stop; a sandbox
 * that goes away is waited for. Returns the exit code.
 */
async function listen(io: Process, target: Target, options: ListenOptions): Promise<number> {
  const { forwardTo, route = [], printSecret = false, json = false } = options
  if (forwardTo === undefined && route.length === 0) {
    io.err.write(
      "error: say where callbacks go, by option '--forward-to <address>' or '--route <what=address>'\n",
    )
    return exitCodes.usage
  }
  const out = outputTo(io.out, json)
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
  const tell = createSendOn(out, wayBy(route, forwardTo))
  return followEvents(io, target, { json, connected, tell })
}

async function tellSecret(out: Output, target: Target): Promise<void> {
  const secret = await worldAt(target).signatures.secret()
  out.say(`callbacks are signed with ${secret}`, { kind: 'secret', secret })
}

/** The local server may take as long as the sandbox would wait, milliseconds. */
const TIMEOUT = 10_000

/**
 * What is done with each event of the stream: an attempt to deliver a callback is sent on, unless the local server has
 * answered an earlier one of the same callback with 2xx. Prints a line each.
 */
function createSendOn(out: Output, way: Way) {
  const paint = painter(out.colours)
  /** By callback: the attempts seen, and whether the local server has taken it. */
  const progress = new Map<string, { seen: number; taken: boolean }>()

  return async ({ type, data }: WorldEvent, world: WorldClient): Promise<void> => {
    const id = data['callback_id']
    if (type !== 'attempt' || typeof id !== 'number') return
    const details = await world.callbacks.get(id).catch(unlessUnknown)
    // It went with a reset, or was forgotten for newer ones.
    if (!details) return
    const { callback, attempts } = details
    // A world that is reset, or a sandbox that starts anew, counts its callbacks from 1 again.
    const key = `${id} ${callback.created_at} ${callback.transaction}`
    const { seen, taken } = progress.get(key) ?? { seen: attempts.length - 1, taken: false }
    const now = { seen: attempts.length, taken }
    progress.set(key, now)
    for (const { url, request } of attempts.slice(seen)) {
      if (now.taken) return
      const to = await way({ url, ...request }, callback.transaction, world)
      if (!to) {
        out.say(`callback ${id} to ${url} has no route`, { kind: 'no_route', callback: id, url })
        return
      }
      const said = await send({ url, ...request }, to)
      now.taken = said.ok
      const about = callback.external_reference || callback.transaction
      const answer = paint(said.ok ? 'green' : 'red', said.words)
      const { status, error, duration_ms } = said
      const fact = { kind: 'forwarded', callback: id, of: about, url: to.href, status, error, duration_ms }
      out.say(`${said.time}  callback ${id} of ${about}  POST ${to.pathname}${to.search}  ${answer}`, fact)
    }
  }
}

async function send(sent: SentCallback, to: URL) {
  const started = systemWall()
  const time = new Date(started).toISOString().slice(11, 19)
  const answer = await forward(sent, to, TIMEOUT).catch((error: unknown) => reasonOf(error, to.origin))
  const duration_ms = systemWall() - started
  if (typeof answer === 'string')
    return { ok: false, words: answer, time, status: null, error: answer, duration_ms }
  const ok = answer >= 200 && answer < 300
  return { ok, words: `${answer} in ${duration_ms} ms`, time, status: answer, error: '', duration_ms }
}

/** Callbacks of a path, or of payments that an operation made, and the local server that they go to. */
interface Route {
  /** `/hooks/pay`, or with `*` at its end all that begin so. */
  readonly path?: string
  readonly operation?: string
  readonly to: string
}

/** The operations that make payments, and so callbacks. */
const paying: readonly string[] = [
  'createCollection',
  'createWithdrawal',
  'createGlobalPayment',
  'topUpServiceWallet',
] satisfies readonly Transaction['operation'][]

/** Adds `/hooks/payouts=http://localhost:3001`, or an operation in the place of the path, to the routes before it. */
function readRoute(text: string, before: readonly Route[] = []): readonly Route[] {
  const [, what = '', to] = /^([^=]+)=([^]+)$/.exec(text) ?? []
  if (to === undefined)
    throw new InvalidArgumentError(
      'Accepted: a path or an operation and an address, such as /hooks/payouts=http://localhost:3001.',
    )
  if (what.startsWith('/')) return [...before, { path: what, to: readAddress(to) }]
  if (!paying.includes(what))
    throw new InvalidArgumentError(
      `No operation ${what} makes payments${didYouMean(what, paying)}. Accepted: ${paying.join(', ')}, or a path that begins with /.`,
    )
  return [...before, { operation: what, to: readAddress(to) }]
}

/** Where a callback goes: by the first route that fits, else to `forwardTo`. @returns undefined when it goes nowhere */
type Way = (sent: SentCallback, transaction: string, world: WorldClient) => Promise<URL | undefined>

function wayBy(routes: readonly Route[], forwardTo: string | undefined): Way {
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

/** A callback as the sandbox sent it. */
interface SentCallback {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/** Its own to a connection, so set anew by each. */
const ofTheConnection = ['host', 'content-length', 'connection', 'transfer-encoding']

/**
 * Where a callback goes on the local server: to its own path and query, or to the one that `forwardTo` names.
 * @param forwardTo the local server's address, with or without a path
 */
function localUrl(forwardTo: string, { url }: SentCallback): URL {
  const target = new URL(forwardTo)
  if (target.pathname !== '/' || target.search) return target
  const { pathname, search } = new URL(url)
  return new URL(`${pathname}${search}`, target)
}

/**
 * Sends the callback on with its headers and bytes. The Host header is the local server's, unless a signature covers
 * the one that the sandbox called.
 * @returns the local server's status @throws when it gives no answer within `timeout` milliseconds
 */
function forward(sent: SentCallback, to: URL, timeout: number): Promise<number> {
  const body = Buffer.from(sent.body, 'utf8')
  const signedHost = Object.keys(sent.headers).some((name) => name.toLowerCase() === 'signature-input')
  const headers = Object.entries(sent.headers).filter(
    ([name]) => !ofTheConnection.includes(name.toLowerCase()),
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
