/** Plays all rows to one receiver. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sandbox } from '../../../src/index.ts'
import type { WorldClient } from '../../../src/client/types.ts'
import { freePort, type Running, start } from './process.ts'
import { receivers, type Start } from './receivers.ts'
import { cellOf, effectOf, type Order, orders, type Row, type Rule, rules } from './row.ts'
import { rows } from './rows.ts'
import { type Answer, ask, createSender } from './sender.ts'

/** What a receiver made of every row, by the row's title. */
export interface Outcome {
  readonly cells: ReadonlyMap<string, string>
  /** What was not right, in words. */
  readonly faults: readonly string[]
}

/** What stands in no answer: where code is, and what is secret. */
const TELLING = /whsec_|Traceback|File "|\.(js|py|php|java|go):\d+|\bat .+\(|Exception|goroutine/
const LARGEST_ANSWER = 1000

/** Kept from one row to the next. */
interface Stage {
  readonly world: WorldClient
  readonly cells: Map<string, string>
  readonly faults: string[]
  secret: string
  receiver: Running
}

/** A receiver that can be started, in a folder of its own. */
export interface Ready {
  readonly start: Start
  readonly folder: string
  readonly port: number
}

/** @throws NotHere */
export async function makeReady(name: string): Promise<Ready> {
  const folder = mkdtempSync(join(tmpdir(), `receiver-${name}-`))
  const port = await freePort()
  return { start: receivers[name]!(folder, port), folder, port }
}

/** Plays all rows. */
export async function tryOut(sandbox: Sandbox, { start: how, folder, port }: Ready): Promise<Outcome> {
  const settings = { retry_profile: 'none', callback_timeout: '15s' } as const
  await using world = await sandbox.world({ settings, clock: { speed: 0 } })
  const older = await world.signatures.secret()
  const newer = `whsec_${Buffer.from('receivers-newer-secret-for-them').toString('base64')}`
  const run = (secrets: string) =>
    start(how, folder, port, { WEBHOOK_SECRETS: secrets, DATA: join(folder, 'orders') })
  const receiver = await run(`${newer} ${older}`)
  const stage: Stage = { world, cells: new Map(), faults: [], secret: older, receiver }
  try {
    await world.fund(63, { wallet: 'wallet', amount: 1_000_000, currency: 'KES' })
    for (const row of rows) await play(stage, row)
    await rotate(stage, newer)
    await stage.receiver.kill()
    stage.receiver = await run(newer)
    await restarted(stage, older)
    return stage
  } finally {
    await stage.receiver.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

const referenceOf = (title: string) =>
  title
    .replace(/[^\w]+/g, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase()

async function play(stage: Stage, { title, play, answers: rule, order }: Row): Promise<void> {
  const reference = referenceOf(title)
  await expectOrder(stage, reference)
  const answers =
    'send' in play ? await sendByHand(stage, reference, play.send) : await pay(stage, reference, play)
  await judge(stage, title, reference, answers, rule, order)
}

async function expectOrder({ receiver }: Stage, reference: string): Promise<void> {
  const order = JSON.stringify({ reference, amount: 1000, currency: 'KES' })
  const { status } = await ask(
    `${receiver.url}/orders`,
    'POST',
    { 'content-type': 'application/json', 'content-length': Buffer.byteLength(order) },
    order,
  )
  if (status !== 201) throw new Error(`POST /orders of ${reference} is answered ${status}`)
}

function sendByHand(stage: Stage, reference: string, send: Extract<Row['play'], { send: unknown }>['send']) {
  const { receiver, secret } = stage
  const heard = (text: string) => hear(stage, reference, text)
  return send(createSender(`${receiver.url}/callback`, secret, reference, heard))
}

/** A payment of the sandbox and all that follows from it. */
async function pay(
  stage: Stage,
  reference: string,
  play: Exclude<Row['play'], { send: unknown }>,
): Promise<readonly Answer[]> {
  const { world, receiver } = stage
  const name = 'scenario' in play ? play.scenario : `own-${reference}`
  if ('then' in play) await world.scenarios.put(name, { title: reference, then: play.then })
  await world.scenarios.next(name)
  if ('again' in play) await world.configure({ retry_profile: 'sandbox' })
  const callback_url = `${receiver.url}/callback`
  if ('operation' in play) await world.call('createWithdrawal', { body: withdrawal(reference, callback_url) })
  else await world.call('createCollection', { body: collection(reference, callback_url) })
  await world.settle()
  if ('again' in play) await world.configure({ retry_profile: 'none' })
  return answersTo(stage, reference)
}

const collection = (external_reference: string, callback_url: string) => ({
  amount: 1000,
  phone_number: '0712345678',
  provider: 'm-pesa',
  network_code: '63902',
  account_id: 63,
  external_reference,
  callback_url,
})

const withdrawal = (external_reference: string, callback_url: string) => ({
  external_reference,
  account_id: 63,
  amount: 1000,
  phone_number: '254712345678',
  channel: 'phone' as const,
  recipient_type: 'MSISDN' as const,
  account_number: '254712345678',
  callback_url,
})

/** What the receiver answered to all callbacks of a payment, in the order in which they were sent. */
async function answersTo(stage: Stage, reference: string): Promise<readonly Answer[]> {
  const { world } = stage
  const callbacks = await world.callbacks.list({ reference })
  const details = await Promise.all(callbacks.map(({ id }) => world.callbacks.get(id)))
  const attempts = details.flatMap((each) => each.attempts).toSorted((a, b) => a.at.localeCompare(b.at))
  for (const { response } of attempts) if (response) hear(stage, reference, response.body)
  return attempts.map(({ response }) => response?.status ?? null)
}

function hear({ faults }: Stage, reference: string, text: string): void {
  if (TELLING.test(text)) faults.push(`${reference}: an answer tells of the receiver's insides: ${text}`)
  if (text.length > LARGEST_ANSWER) faults.push(`${reference}: an answer of ${text.length} characters`)
}

async function judge(
  { receiver, cells, faults }: Stage,
  title: string,
  reference: string,
  answers: readonly Answer[],
  rule: Rule,
  right: Order | readonly Order[],
): Promise<void> {
  const { text } = await ask(`${receiver.url}/orders/${reference}`, 'GET')
  const order = JSON.parse(text) as Order
  const cell = cellOf(answers, order)
  cells.set(title, cell)
  const wanted = [right].flat() as readonly Order[]
  const same = ({ status, fulfilled, paid }: Order) =>
    status === order.status && fulfilled === order.fulfilled && paid === order.paid
  if (rule.fits(answers) && wanted.some(same)) return
  faults.push(`${title}: ${cell} (${text}); right is ${rule.text}, ${wanted.map(effectOf).join(' or ')}`)
}

export const afterwards = {
  overlap: 'secret rotated: signed with both secrets',
  rotated: 'secret rotated: signed with the new secret',
  restarted: 'repeated after a crash and restart',
  withdrawn: 'signed with a retired secret',
} as const

/** The secret changes while the receiver has both. */
async function rotate(stage: Stage, newer: string): Promise<void> {
  const { world } = stage
  await world.signatures.rotate({ secret: newer, overlap: '1h' })
  await payAfterwards(stage, afterwards.overlap)
  await world.clock.advance('2h')
  await payAfterwards(stage, afterwards.rotated)
  await payAfterwards(stage, afterwards.restarted)
}

async function payAfterwards(stage: Stage, title: string): Promise<void> {
  await play(stage, {
    title,
    play: { then: { settle: { status: 'success' } } },
    answers: rules.taken,
    order: orders.paid,
  })
}

/** What the receiver knows after it was killed, and that it no longer takes the older secret. */
async function restarted(stage: Stage, older: string): Promise<void> {
  const { world } = stage
  const reference = referenceOf(afterwards.restarted)
  const [callback] = await world.callbacks.list({ reference })
  await world.callbacks.resend(callback!.id)
  await world.settle()
  await judge(
    stage,
    afterwards.restarted,
    reference,
    await answersTo(stage, reference),
    rules.taken,
    orders.paid,
  )
  stage.secret = older
  const send: Extract<Row['play'], { send: unknown }>['send'] = async ({ result, signed, post }) => [
    await post(signed(result())),
  ]
  await play(stage, {
    title: afterwards.withdrawn,
    play: { send },
    answers: rules.refused,
    order: orders.waiting,
  })
}
