import { eventId } from '../callbacks/attempt.ts'
import { verifiedIn, type VerifiedTarget } from '../callbacks/target.ts'
import { PROOF_PATH } from '../callbacks/verify-target.ts'
import { inCallbackGroup } from './failures.ts'
import { cut, handlers, ok, pageOf, timeOr } from './page.ts'
import type { Requests } from '../generated/control/requests.ts'
import { timeSlice, sliceOf } from '../lib/clock/clock.ts'
import { requireKept } from '../service/domain/archive.ts'
import { fireCallback, heldBy } from '../service/domain/callbacks.ts'
import { addJob, type Look, type Tx, wasGivenOut } from '../service/domain/context.ts'
import { noneLeft, notFound, ServiceError, invalid } from '../service/domain/errors.ts'
import { findTransaction } from '../service/domain/transactions.ts'
import { exactOrNull, exactTime, readDuration } from '../service/domain/wire-time.ts'
import type { AttemptRow, CallbackRow } from '../storage/store/payment-rows.ts'
import { checkSignatures } from '../callbacks/signatures/doctor/check.ts'
import {
  checkSecret,
  rotate,
  secretsOf,
  signingKeys,
  type WorldSecret,
} from '../callbacks/signatures/secrets.ts'
import { readSignatures } from '../callbacks/signatures/profiles/profiles.ts'
import type { World } from '../worlds/world.ts'

export const callbacks = handlers(({ targets }) => ({
  async listCallbacks({ world, request }) {
    const { transaction, reference, before, limit = 100, ...filter } = request.query
    const answer = await world.readInSlices(async (look) => {
      const fits = callbackTest(look, world.name, filter)
      const about = callbacksAbout(look, transaction, reference)
      if (about?.length === 0 && transaction !== undefined) requireKept(look, 'transaction', transaction)
      const page = about
        ? cut(about.filter((row) => fits(row) && row.id < (before ?? Infinity)).toReversed(), limit)
        : await pageOf(look, world.name, 'callbacks', { before, limit }, fits)
      return {
        callbacks: page.rows.map((row) => callbackView(look, world.name, row)),
        next_before: page.next_before,
      }
    })
    return ok(answer)
  },

  getCallback: {
    read: (look, { world, request }) =>
      ok(callbackDetails(look, world.name, requireCallback(look, request.path.id))),
  },

  resendCallback: {
    change: (tx, { world, request }) =>
      ok(callbackDetails(tx, world.name, sendAgain(tx, requireCallback(tx, request.path.id)))),
  },

  async resendCallbacks({ world, request }) {
    const { group, state = group === undefined ? 'failed' : 'failing', ...filters } = request.body ?? {}
    const { url, search, since, ...rest } = filters
    noneLeft(rest)
    const filter = { group, state, url, search, since }
    const page = await world.readInSlices((look) =>
      pageOf(look, world.name, 'callbacks', { limit: MOST_RESENT }, callbackTest(look, world.name, filter)),
    )
    const ids = page.rows.map(({ id }) => id).reverse()
    const callbacks: number[] = []
    const slice = await timeSlice(world.name)
    for (let at = 0; at < ids.length; at += A_CHANGE) {
      if (slice.over) await slice.next()
      const some = await world.change((tx) => {
        const fits = callbackTest(tx, world.name, filter)
        const rows = ids.slice(at, at + A_CHANGE).map((id) => tx.rows.get('callbacks', id))
        // Another request may have resent the callback in the meantime.
        return rows.flatMap((row) => (row && fits(row) ? sendAgain(tx, row).id : []))
      })
      callbacks.push(...some)
    }
    return ok({ resent: callbacks.length, callbacks, more: page.next_before !== null })
  },

  fireCallback: {
    change(tx, { world, caller, request }) {
      const { reference, after, ...wanted } = request.body
      const delay = after === undefined ? 0 : readDuration('after', after)
      const transaction = findTransaction(tx, caller, reference)
      return ok(callbackDetails(tx, world.name, fireCallback(tx, transaction, { ...wanted, after: delay })))
    },
  },

  async listCallbackTargets({ world }) {
    const now = world.clock.wall()
    const verified = (await world.read(verifiedIn)).filter(({ expires_at }) => expires_at > now)
    return ok({
      required: targets.isRequired,
      callback_targets: verified.map(targetView),
      file: { path: PROOF_PATH, text: targets.textOf(world) },
    })
  },

  async verifyCallbackTarget({ world, request }) {
    const { url, by = 'echo', ...rest } = request.body
    noneLeft(rest)
    return { status: 201, body: targetView(await targets.verify(world, url, by)) }
  },
}))

/** Maximum number of callbacks that one request resends, and that one change of the world includes. */
const MOST_RESENT = 1_000
const A_CHANGE = 100

type Filter = Pick<Requests['listCallbacks']['query'], 'state' | 'url' | 'search' | 'since' | 'group'>

function callbackTest(look: Look, world: string, { state, url, search, since, group }: Filter) {
  const { rows } = look
  const inGroup = group === undefined ? () => true : inCallbackGroup(look, group)
  const from = timeOr(since, -Infinity)
  const text = search?.toLowerCase()
  const wasTried = ({ id }: CallbackRow) => rows.find('attempts', 'callback', id).length > 0
  const isMeant = (row: CallbackRow) =>
    state === 'failing'
      ? row.state === 'failed' || (row.state === 'pending' && wasTried(row))
      : state === undefined || row.state === state
  const hasText = (row: CallbackRow, wanted: string) => {
    const of = rows.get('transactions', row.transaction_id)
    const names = of
      ? [of.reference, of.external_reference, of.checkout_request_id, of.provider_reference]
      : []
    return [row.url, eventId(world, row), ...names].some((each) => each.toLowerCase().includes(wanted))
  }
  return (row: CallbackRow) =>
    row.created_at >= from &&
    (url === undefined || row.url.includes(url)) &&
    isMeant(row) &&
    inGroup(row) &&
    (text === undefined || hasText(row, text))
}

/** Sends a callback now, with retries. It replaces a waiting retry, so that the receiver does not get both. */
function sendAgain(tx: Tx, before: CallbackRow): CallbackRow {
  const row: CallbackRow = { ...before, state: 'pending' }
  tx.rows.put('callbacks', row)
  let isBeingSent = false
  for (const { id, task, due_at, failed } of tx.rows.find('jobs', 'callback', row.id)) {
    const isRetry = task.kind === 'callback' && task.failed !== undefined
    // Delete the job that was given up. The next start would delete it otherwise.
    if (failed?.abandoned || (isRetry && due_at > tx.now)) tx.rows.delete('jobs', id)
    else if (due_at <= tx.now) isBeingSent = true
  }
  if (!isBeingSent) addJob(tx, 0, { kind: 'callback', callback_id: row.id })
  return row
}

function requireCallback(look: Look, id: number): CallbackRow {
  const row = look.rows.get('callbacks', id)
  if (row) return row
  const missing = notFound('callback', id)
  if (!wasGivenOut(look, 'callback', id)) throw missing
  throw new ServiceError(missing.code, `${missing.message}: it ended and is no longer kept`)
}

/** Returns the callbacks of the named transactions, oldest first, or undefined if no name is given. */
function callbacksAbout(
  { rows }: Look,
  ...names: (string | undefined)[]
): readonly CallbackRow[] | undefined {
  const given = names.filter((name) => name !== undefined)
  if (given.length === 0) return undefined
  const found = given.map((name) => rows.find('transactions', 'identifier', name))
  const [first, ...others] = found.map((each) => new Set(each.map(({ id }) => id)))
  const ids = [...first!].filter((id) => others.every((other) => other.has(id)))
  const lists = ids.map((id) => rows.find('callbacks', 'transaction', id))
  return lists.flat().toSorted((a, b) => a.id - b.id)
}

export function callbackView(look: Look, world: string, row: CallbackRow) {
  const { rows } = look
  const transaction = rows.get('transactions', row.transaction_id)
  const attempts = rows.find('attempts', 'callback', row.id)
  const jobs = rows.find('jobs', 'callback', row.id)
  const last = attempts.at(-1)
  return {
    id: row.id,
    event_id: eventId(world, row),
    transaction: transaction?.reference ?? '',
    external_reference: transaction?.external_reference ?? '',
    url: row.url,
    shape: row.shape,
    state: row.state,
    fault: row.fault,
    created_at: exactTime(row.created_at),
    attempt_count: attempts.length,
    last_status: last?.status ?? null,
    last_error: last?.error ?? '',
    next_attempt_at: jobs.length > 0 ? exactTime(Math.min(...jobs.map((job) => job.due_at))) : null,
    blocked_by: row.state === 'pending' ? (heldBy(look, row) ?? null) : null,
  }
}

/** The callback with all delivery attempts. */
export function callbackDetails(look: Look, world: string, row: CallbackRow) {
  const attempts = look.rows.find('attempts', 'callback', row.id)
  return {
    callback: callbackView(look, world, row),
    body: row.body,
    attempts: attempts.map((attempt, at) => attemptView(row, attempt, at + 1)),
  }
}

function attemptView(callback: CallbackRow, row: AttemptRow, number: number) {
  const { status, answer_headers: headers, answer_body: body } = row
  return {
    number,
    at: exactTime(row.at),
    sent_at: exactTime(row.real_at),
    duration_ms: row.duration_ms,
    url: row.url,
    request: { headers: row.request_headers, body: row.request_body ?? callback.body },
    response: status === null ? null : { status, headers, body },
    error: row.error,
    advice: row.advice,
    next_attempt_at: exactOrNull(row.next_at),
  }
}

const targetView = ({ origin, verified_at, expires_at }: VerifiedTarget) => ({
  origin,
  verified_at: exactTime(verified_at),
  expires_at: exactTime(expires_at),
})

const A_PAGE = 1_000

export const signatures = handlers(({ firstSecret }) => ({
  async checkSignature({ world, request }) {
    const { headers, body, secret, url, method, received_at, ...rest } = request.body
    noneLeft(rest)
    const id = Object.entries(headers).find(([name]) => name.toLowerCase() === 'webhook-id')?.[1]
    const secrets = await world.read((look) => secretsOf(look, world.name, firstSecret))
    const sentBodies = id === undefined ? [] : await bodiesSent(world, id)
    const asked = {
      headers,
      body,
      url,
      method,
      signatures: readSignatures(world.settings.signatures),
      sentBodies,
      nowSeconds: Math.floor(
        (received_at === undefined ? world.clock.date() : Date.parse(received_at)) / 1000,
      ),
    }
    const diagnoses = checkSignatures({ ...asked, secret: secret ?? secrets[0]!.secret })
    const answer = diagnoses.map((each) => ({ ...each, mistakes: [...each.mistakes] }))
    return ok({ valid: diagnoses.every((each) => each.valid), diagnoses: answer })
  },

  getSigningSecret: {
    read: (look, { world }) => ok(secretView(world, secretsOf(look, world.name, firstSecret))),
  },

  rotateSigningSecret: {
    change(tx, { world, request }) {
      const { overlap = '24h', secret, ...rest } = request.body
      noneLeft(rest)
      const ms = readDuration('overlap', overlap)
      if (secret !== undefined) requireSecret(secret)
      return ok(secretView(world, rotate(tx, world.name, firstSecret, ms, secret)))
    },
  },

  getSigningKeys: {
    read(look, { world }) {
      const pairs = pairsOf(secretsOf(look, world.name, firstSecret))
      return ok({ keys: pairs.map(({ publicJwk }) => ({ ...publicJwk })) })
    },
  },
}))

const pairsOf = (secrets: readonly WorldSecret[]) => secrets.map(({ secret }) => signingKeys([secret]).pair)

function secretView(world: World, secrets: readonly WorldSecret[]) {
  return {
    secret: secrets[0]!.secret,
    previous: secrets
      .slice(1)
      .map(({ secret, valid_until }) => ({ secret, valid_until: exactTime(valid_until!) })),
    signatures: world.settings.signatures,
    public_keys: pairsOf(secrets).map(({ keyid, publicPem }) => ({ keyid, pem: publicPem })),
  }
}

function requireSecret(secret: string): void {
  try {
    checkSecret(secret, 'secret')
  } catch (error) {
    throw invalid((error as Error).message)
  }
}

/** Returns the bodies sent under an event id, which distinguish a changed body from a wrong secret. */
async function bodiesSent(world: World, id: string): Promise<string[]> {
  const bodies = []
  const slice = sliceOf(world.name)
  for (let before = Infinity; ;) {
    const page = await world.read(({ rows }) => rows.below('callbacks', { before, limit: A_PAGE }))
    for (const row of page) {
      if (slice.over) await slice.next()
      if (eventId(world.name, row) === id) bodies.push(row.body)
    }
    if (page.length < A_PAGE) return bodies
    before = page.at(-1)!.id
  }
}
