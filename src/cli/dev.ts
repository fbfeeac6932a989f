import { connect as connectTcp } from 'node:net'
import { Command } from '@commander-js/extra-typings'
import type { Transaction, WorldEvent } from '../client/types.ts'
import type { WorldClient } from '../client/world-client.ts'
import { readConfig } from '../config/config.ts'
import { systemWall } from '../lib/clock/clock.ts'
import { repeat } from '../lib/clock/after.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { createLog } from '../lib/log/log.ts'
import { SandboxError } from '../client/transport.ts'
import { localAddress } from './address.ts'
import { unlessUnknown } from './failures.ts'
import { forward, localUrl } from './listen.ts'
import { type End, plainCommand, readReceiver } from './options.ts'
import { type Output, painter } from './output.ts'
import type { Process } from './process.ts'
import { openInBrowser, unlessStartFails } from './start.ts'
import { dashboardOf, worldAt } from './world-command.ts'

export const devCommand = (io: Process, end: End) =>
  plainCommand(io, end)(
    new Command('dev')
      .description(
        'Run a sandbox next to your shop, and print a line for each payment and callback. At a terminal, keys make payments and ' +
          'choose their outcome. Settings come from the environment, as for start.',
      )
      .option(
        '--forward-to <address>',
        'your receiver, such as localhost:3000/callback: payments of the key p use it, and callbacks to addresses that cannot be reached go there',
        readReceiver,
      )
      .option('--port <port>', 'the port of the sandbox (default: SANDBOX_PORT, or 8080)')
      .option('--open', 'open the dashboard in a browser'),
    ({ out }, { forwardTo, port, open }) =>
      unlessStartFails(io, async () => {
        const config = readConfig({ ...io.env, ...(port !== undefined && { SANDBOX_PORT: port }) })
        const log = createLog({ level: 'silent', write: io.out.write, terminal: false, now: systemWall })
        const sandbox = await createSandbox({ config, log })
        try {
          const url = localAddress(config.host, (await sandbox.listen()).port)
          const target = { url, username: config.apiUsername, password: config.apiPassword }
          const world = worldAt(target)
          const paint = painter(out.colours)
          const secret = await world.signatures.secret()
          const to = forwardTo === undefined ? 'an inbox of the sandbox' : forwardTo
          out.say(
            `${paint(['bold', 'green'], 'payments-sandbox')} listens at ${paint('bold', url)} as ${target.username}; callbacks go to ${to}`,
            { kind: 'listening', url, username: target.username, forward_to: forwardTo ?? null },
          )
          out.say(`  dashboard  ${dashboardOf(target)}\n  secret     ${secret}`, { kind: 'secret', secret })
          if (open) openInBrowser(dashboardOf(target), () => {})
          await loop(io, out, world, forwardTo)
        } finally {
          await sandbox.close()
        }
      }),
  )

const HELP = 'keys: p pay  o choose the next outcome  r resend  t jump to the next job  e explain  q quit'

/** Prints events and handles keys until the end. */
async function loop(io: Process, out: Output, world: WorldClient, forwardTo: string | undefined) {
  const board = createBoard(out, world, forwardTo)
  const listening = await world.listen(board.onEvent)
  let quit = () => {}
  const ended = new Promise<void>((resolve) => (quit = resolve))
  const keys = createKeys(io, out, world, board, quit, forwardTo)
  const release = io.keys?.(keys)
  if (release) out.say(painter(out.colours)('dim', `  ${HELP}`))
  await Promise.race([ended, io.stopped()])
  release?.()
  board.close()
  await listening.stop()
}

/** Milliseconds between two checks whether the shop is back. */
const CHECK = 500

/** Milliseconds for one forwarded callback. */
const TIMEOUT = 10_000

/** Maximum length of a response in a line. */
const LONGEST = 100

/** Follows payments and callbacks, and reports once that the shop is down. */
function createBoard(out: Output, world: WorldClient, forwardTo: string | undefined) {
  const paint = painter(out.colours)
  const accepted = new Set<number>()
  let last: number | undefined
  let isDown = false
  let stopChecking = () => {}

  /** Returns whether the shop is down. */
  const down = async (origin: string) => {
    // A shop that listens may still be slow or cut the connection, and news of an attempt may arrive after the shop is back.
    if (isDown || (await isOpen(origin)) || isDown) return isDown
    isDown = true
    out.say(paint('yellow', `the shop at ${origin} is down; its callbacks wait until it is back`), {
      kind: 'down',
      origin,
    })
    stopChecking = repeat(CHECK, () => void isOpen(origin).then((open) => (open ? back(origin) : undefined)))
    return true
  }
  const back = async (origin: string) => {
    if (!isDown) return
    isDown = false
    stopChecking()
    const { resent } = await world.callbacks.resendAll({ state: 'failing' })
    out.say(
      paint('green', `the shop at ${origin} is back; ${resent} callback${resent === 1 ? '' : 's'} resent`),
      {
        kind: 'back',
        origin,
        resent,
      },
    )
  }

  const onAttempt = async (id: number) => {
    const details = await world.callbacks.get(id).catch(unlessUnknown)
    const attempt = details?.attempts.at(-1)
    if (!details || !attempt) return
    const { callback } = details
    last = id
    const { transaction } = await world.transactions.get(callback.transaction)
    const { origin } = new URL(attempt.url)
    let result = attempt.response ? String(attempt.response.status) : attempt.error
    const isOwn = forwardTo === undefined || origin === new URL(forwardTo).origin
    if (!attempt.response && isOwn && (await down(origin))) return
    if (!attempt.response && !isOwn && !accepted.has(id)) {
      const to = localUrl(forwardTo, { url: attempt.url, ...attempt.request })
      const status = await forward({ url: attempt.url, ...attempt.request }, to, TIMEOUT).catch(
        () => undefined,
      )
      if (status === undefined && (await down(to.origin))) return
      if (status !== undefined && status < 300) accepted.add(id)
      result = `${status ?? 'without a response'} by ${to.host}`
    }
    const ok = /^2\d\d/.test(result)
    // The shop's own words help most; the key e shows the rest.
    const why = attempt.response?.body.trim().split('\n')[0]!.slice(0, LONGEST) || attempt.advice
    const note = ok || !attempt.response ? '' : `  ${why}`
    say(attempt.at, transaction, `${paint(ok ? 'green' : 'red', `callback ${result}`)}${note}`, {
      callback: id,
      response: attempt.response?.status ?? null,
    })
  }

  const say = (at: string, transaction: Transaction, what: string, fact: object) => {
    const { external_reference, reference, amount, status, reason, scenario } = transaction
    const outcome = scenario ?? reason
    const words = [
      external_reference || reference,
      `${amount.currency} ${amount.amount}`,
      outcome,
      status,
      what,
    ]
    out.say([paint('dim', at.slice(11, 19)), ...words].filter(Boolean).join('  '), {
      kind: 'payment',
      ...fact,
      transaction,
    })
  }

  return {
    last: () => last,
    close: () => stopChecking(),
    async onEvent({ type, at, data }: WorldEvent) {
      const { callback_id, reference, status } = data as Readonly<Record<string, unknown>>
      if (type === 'attempt' && typeof callback_id === 'number') await onAttempt(callback_id)
      if (type !== 'transaction' || status === 'QUEUED' || typeof reference !== 'string') return
      const details = await world.transactions.get(reference).catch(unlessUnknown)
      if (details && details.callbacks.length === 0)
        say(at, details.transaction, paint('yellow', 'no callback'), { callback: null, response: null })
    },
  }
}

/** Returns whether something listens at an origin. */
export const isOpen = (origin: string) => {
  const { hostname, port, protocol } = new URL(origin)
  const at = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  }
  return new Promise<boolean>((resolve) => {
    const socket = connectTcp({ ...at, timeout: CHECK })
    const end = (open: boolean) => {
      socket.destroy()
      resolve(open)
    }
    socket
      .on('connect', () => end(true))
      .on('error', () => end(false))
      .on('timeout', () => end(false))
  })
}

/** Returns the handler of keys; after `o`, it reads the name of an outcome until Enter. */
function createKeys(
  { out: terminal }: Process,
  out: Output,
  world: WorldClient,
  board: ReturnType<typeof createBoard>,
  quit: () => void,
  forwardTo: string | undefined,
) {
  let typed: string | undefined
  let hasQuit = false
  const actions: Readonly<Record<string, () => Promise<void> | void>> = {
    async p() {
      await world.pay({ callbackUrl: forwardTo })
    },
    o() {
      typed = ''
      out.say('next outcome (such as payer-cancels), then Enter:')
    },
    async r() {
      const id = board.last()
      if (id === undefined) return out.say('no callback has been sent yet; p makes a payment')
      await world.callbacks.resend(id)
    },
    async t() {
      const { next } = await world.clock.show()
      if (!next) return out.say('nothing is pending')
      await world.clock.advance(next.due_at)
      out.say(`the clock jumped to ${next.due_at} (${next.kind})`, { kind: 'leap', at: next.due_at })
    },
    e: () => explain(out, world),
  }
  const choose = async (name: string) => {
    const { name: found, title } = await world.scenarios.get(name)
    // Requests of the shop get it too.
    await world.scenarios.next(found)
    out.say(`next payment: ${found} (${title})`, { kind: 'chosen', outcome: found })
  }
  // The terminal does not echo keys while the command reads them.
  const echo = (text: string) => {
    if (terminal.terminal) terminal.write(text)
  }
  return (key: string): void => {
    let work: Promise<void> | void = undefined
    if (key === '\u0003' || (key === 'q' && typed === undefined)) {
      hasQuit = true
      return quit()
    }
    if (typed === undefined) work = actions[key]?.()
    else if (key === '\r' || key === '\n') {
      const name = typed
      typed = undefined
      echo('\n')
      if (name !== '') work = choose(name)
    } else if (key === '\u007f' || key === '\b') {
      if (typed !== '') echo('\b \b')
      typed = typed.slice(0, -1)
    } else if (key === '\u001b') typed = undefined
    else if (/[\w-]/.test(key)) {
      typed += key
      echo(key)
    }
    void work?.catch((error: unknown) => {
      // The sandbox stops while the last request is on its way.
      if (hasQuit) return
      out.say(error instanceof SandboxError ? (error.body.error_message ?? error.message) : String(error))
    })
  }
}

/** Explains the newest callback that failed, otherwise the newest payment that failed. */
async function explain(out: Output, world: WorldClient): Promise<void> {
  const { callbacks } = await world.call('listCallbacks', { query: { state: 'failing', limit: 1 } })
  const [failing] = callbacks
  if (failing) {
    const { attempts } = await world.callbacks.get(failing.id)
    const { url, response, error, advice } = attempts.at(-1)!
    const answer = response ? `${response.status} ${response.body.slice(0, 300)}` : error
    return out.say(
      `callback ${failing.id} of ${failing.external_reference} to ${url}: ${answer}\n  ${advice}`,
      {
        kind: 'explanation',
        callback: failing.id,
      },
    )
  }
  const { transactions } = await world.call('listTransactions', { query: { status: 'FAILED', limit: 1 } })
  const [failed] = transactions
  if (!failed) return out.say('nothing failed')
  out.say(
    `${failed.external_reference} FAILED: ${failed.reason}: ${failed.message}${failed.scenario ? ` (outcome ${failed.scenario})` : ''}`,
    { kind: 'explanation', reference: failed.reference },
  )
}
