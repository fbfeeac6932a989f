/** What of a record is the shop's own doing, so that nothing else proves anything of it. */
import type { CertificationGiven } from '../generated/control/types.ts'
import { OWN_AGENT } from '../lib/own-agent.ts'
import type { Amounts, RecordStanding } from './certification.ts'
import type { ShopRequest, Scene } from './scene.ts'

/** What the shop did, and how much of the record that is. @param given what the world was given; nothing of it is the shop's */
export function ofShop(scene: Scene, given: CertificationGiven): { scene: Scene; record: RecordStanding } {
  const requests = scene.requests.filter((request) => !isByHand(request))
  const made = madeBy(requests)
  const asked = (operation: string) => requests.some((each) => each.operation === operation)
  const own: Scene = {
    ...scene,
    requests,
    transactions: scene.transactions
      .filter((each) => each.id > given.transactions && made(each))
      .map((each) => (isOwnInbox(each.callback_url) ? { ...each, callback_state: 'none' } : each)),
    callbacks: scene.callbacks.filter(
      ({ callback }) => callback.id > given.callbacks && !isOwnInbox(callback.url),
    ),
    kyc: asked('submitKyc') ? scene.kyc.filter(({ id }) => id > given.kyc) : [],
    invites: asked('inviteMember') ? scene.invites.filter(({ id }) => (id ?? 0) > given.invites) : [],
  }
  const judged = amountsOf(own)
  const all = amountsOf(scene)
  const left_out = {
    requests: all.requests - judged.requests,
    transactions: all.transactions - judged.transactions,
    callbacks: all.callbacks - judged.callbacks,
  }
  const first = Number(/\d+$/.exec(scene.requests[0]?.id ?? '')?.[0] ?? 1)
  return { scene: own, record: { judged, left_out, forgotten: Math.max(first - 1, 0), given } }
}

const amountsOf = ({ requests, transactions, callbacks }: Scene): Amounts => ({
  requests: requests.length,
  transactions: transactions.length,
  callbacks: callbacks.length,
})

/** Sent by a browser, such as from the dashboard or the documentation, or by the sandbox's own tools: integrations are neither. */
const isByHand = ({ headers }: ShopRequest): boolean =>
  headers.some(({ name, value }) => {
    const header = name.toLowerCase()
    if (header === 'user-agent') return value.startsWith('Mozilla/') || value.startsWith(OWN_AGENT)
    return header === 'origin' || header === 'sec-fetch-site'
  })

/** Where the sandbox itself answers. */
const isOwnInbox = (url: string) => url.includes('/sandbox/inbox/')

/** Tells the transactions that requests made: by the reference that was answered, and where no answer came by the caller's. */
function madeBy(requests: readonly ShopRequest[]): (made: Scene['transactions'][number]) => boolean {
  const answered = new Set<unknown>()
  const lost = new Set<unknown>()
  for (const { status, answer, body } of requests) {
    if (status !== null && status < 300) for (const each of leavesOf(answer)) answered.add(each)
    else if (status === null || status >= 500) for (const each of leavesOf(body)) lost.add(each)
  }
  // A payer who pays without being asked makes a transaction that no request is for.
  return ({ is_offline, reference, external_reference }) =>
    is_offline || answered.has(reference) || (external_reference !== '' && lost.has(external_reference))
}

const DEEP = 4

/** The texts in a value. */
function leavesOf(value: unknown, depth = 0): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [value]
  return depth < DEEP ? Object.values(value).flatMap((each) => leavesOf(each, depth + 1)) : []
}
