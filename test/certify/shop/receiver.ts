import { signedOf } from './signature.ts'
import { type Result, resultOf } from './results.ts'
import type { Shop } from './shop.ts'
import type { Order, Rows } from './store.ts'

/** The longest body that is read, bytes. */
const LONGEST = 256 * 1024

const answer = (status: number, headers?: Record<string, string>) => new Response(null, { status, headers })

/** What the service posts to the shop's `callback_url`. */
export async function receiveCallback(shop: Shop, request: Request): Promise<Response> {
  const { habits } = shop
  if (!habits.isMethod(request)) return answer(405, { allow: 'POST' })
  if (!habits.isJson(request)) return answer(415)
  const body = await habits.readBody(request)
  if (!body) return answer(413)
  const event = await habits.genuine(shop, request.headers, body)
  if (!event) return habits.refuse(shop)
  const told = habits.parse(body)
  if (!told) return answer(400)
  await habits.take(shop, event, told, request)
  return answer(204)
}

export const isMethod = ({ method }: Request): boolean => method === 'POST'

export const isJson = ({ headers }: Request): boolean =>
  /^application\/(.+\+)?json\s*(;|$)/i.test(headers.get('content-type') ?? '')

/** The bytes as they came; nothing when there are too many. */
export async function readBody(request: Request): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get('content-length')) > LONGEST) return undefined
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    if ((length += chunk.length) > LONGEST) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The id of the callback, if it is the service's own. */
export async function genuine(
  { habits, secrets, clock }: Shop,
  headers: Headers,
  body: Uint8Array,
): Promise<string | undefined> {
  const signed = signedOf(headers, body)
  if (!signed || !habits.isFresh(signed, clock.now())) return undefined
  return secrets().some((secret) => habits.isSignedWith(secret, signed)) ? signed.id : undefined
}

/** Whose payment is told of. What is nobody's here may be another program's of the same account. */
export const orderOf = ({ orders }: Rows, told: Result): Order | undefined =>
  orders.get(told.external_reference)

export const refuse: (shop: Shop) => Promise<Response> = async () => answer(401)

export function parse(body: Uint8Array): Result | undefined {
  try {
    return resultOf(JSON.parse(Buffer.from(body).toString('utf8')))
  } catch {
    return undefined
  }
}

/** @param event the id of the callback */
type Take = (shop: Shop, event: string, told: Result, request: Request) => Promise<void>

/** Remembers the callback and does what it says, in one change, before it is answered. */
export const take: Take = (shop, event, told) =>
  shop.store.write((rows) => {
    if (rows.events.has(event)) return
    rows.events.set(event, shop.clock.now())
    const order = shop.habits.orderOf(rows, told)
    if (order) shop.habits.applyResult(shop, order, told)
  })
