/** A fresh sandbox that replays a recording at its times. */
import type { OutgoingCallback, SendResult } from '../callbacks/send.ts'
import { type Config, readConfig } from '../config/config.ts'
import type { Seed } from '../generated/control/types.ts'
import type { ClockState, Wall } from '../lib/clock/clock.ts'
import { createLog, type Log } from '../lib/log/log.ts'
import { starts } from '../service/domain/context.ts'
import type { World } from '../worlds/world.ts'
import { type Message, messageOf } from './messages.ts'

/** `createSandbox`, which callers pass in, because a sandbox compares recordings too. */
export type CreateSandbox = (parts: {
  readonly config: Config
  readonly log: Log
  readonly wall: Wall
  readonly clock: ClockState
  readonly calendar: false
  readonly seed: Seed
  readonly pause: () => Promise<void>
  readonly send: (outgoing: OutgoingCallback) => Promise<SendResult>
}) => Promise<{
  readonly fetch: (request: Request) => Response | Promise<Response>
  readonly worlds: { get(name: string): World | undefined }
  readonly scheduler: { advance(world: World, to: number, most: number): Promise<unknown> }
  close(): Promise<void>
}>

export interface TwinOptions {
  readonly createSandbox: CreateSandbox
  readonly seed: Seed
  /** Seeds the ids that the sandbox draws. */
  readonly random: string
  /** Milliseconds. */
  readonly start: number
  /** Added to the numbers of ids. */
  readonly ids: number
  readonly env: Readonly<Record<string, string | undefined>>
  /** The text of an overlay. */
  readonly observed?: string | undefined
}

export type Twin = Awaited<ReturnType<typeof createTwin>>

/** Settings that decide how the sandbox behaves; others, such as a database, must not reach a comparison. */
const BEHAVIOUR =
  /^SANDBOX_(REALISM|VALIDATION|GENERATION|CALLBACK_SHAPE|SIGNATURES|RETRY_PROFILE|RETRY_SPEED|SCENARIOS|OBSERVED)$/
/** Payments settle when the recording shows it. */
const NEVER = '36000d'
const MOST_JOBS = 10_000
export async function createTwin({ createSandbox, seed, random, start, ids, env, observed }: TwinOptions) {
  const behaviour = Object.entries(env).filter(([name]) => BEHAVIOUR.test(name))
  let now = start
  const callbacks: OutgoingCallback[] = []
  const sandbox = await createSandbox({
    config: readConfig(
      {
        ...Object.fromEntries(behaviour),
        LOG_LEVEL: 'silent',
        SANDBOX_IN_CONTAINER: 'off',
        SANDBOX_HEADERS: 'off',
        SANDBOX_EXTENSIONS: 'on',
        SANDBOX_RETENTION: 'off',
        SANDBOX_SEED: random,
        SANDBOX_SETTLE_AFTER: NEVER,
        SANDBOX_RETRY_PROFILE: 'none',
      },
      true,
    ),
    log: createLog({ level: 'silent', write: () => {}, terminal: false, now: () => start }),
    wall: () => now,
    clock: { real_anchor: start, world_anchor: start, speed: 0 },
    calendar: false,
    seed,
    pause: async () => {},
    async send(outgoing) {
      callbacks.push(outgoing)
      return { status: 200, error: '' }
    },
  })
  const { username, password } = seed.api_keys[0]!
  const owner = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const world = () => sandbox.worlds.get(username)!

  async function send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<Message> {
    const response = await sandbox.fetch(
      new Request(`http://sandbox.localhost${path}`, {
        method,
        headers,
        ...(body !== undefined && method !== 'GET' && method !== 'HEAD' && { body }),
      }),
    )
    return messageOf(response.status, response.headers, await response.text())
  }
  const control = async (method: string, path: string, body?: object) => {
    const type = { authorization: owner, 'content-type': 'application/json' }
    return (await send(method, `/sandbox/${path}`, type, body && JSON.stringify(body))).status === 200
  }
  await control('GET', 'clock')
  if (observed !== undefined) await control('PATCH', `worlds/${username}`, { observed })
  if (ids > 0)
    await world().change((tx) => {
      for (const name of Object.keys(starts))
        tx.rows.put('counters', { name, value: (tx.rows.get('counters', name)?.value ?? 0) + ids })
    })
  return {
    callbacks,
    settings: () => world().settings,
    bytes: () => world().bytes,
    send,
    /** Advances the clock and runs what is due, such as callbacks. */
    async advance(to: number): Promise<void> {
      now = Math.max(now, to)
      await sandbox.scheduler.advance(world(), now, MOST_JOBS)
    },
    simulate: (reference: string, body: object) =>
      control('POST', `transactions/${encodeURIComponent(reference)}/simulate`, body),
    close: () => sandbox.close(),
  }
}
