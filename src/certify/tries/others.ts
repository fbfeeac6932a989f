import type { Scene } from '../scene.ts'
import { ofAttempt, ofRequest } from '../exchange.ts'
import { errorCodesOf } from './error-codes.ts'
import { isLocal } from './record-client.ts'
import { untold } from './receiver-signatures.ts'
import { fail, type Finding, type RecordCheck, type ActiveCheck, notSeen, pass, unsure } from './try.ts'

const transactionsOf = (scenes: readonly Scene[]) => scenes.flatMap(({ transactions }) => transactions)
const requestsOf = (scenes: readonly Scene[]) => scenes.flatMap(({ requests }) => requests)

/** Pay-ins with a status whose callback arrived. */
const told = (scenes: readonly Scene[], status: 'SUCCESS' | 'FAILED' | 'REVERSED') =>
  transactionsOf(scenes).filter(
    (each) => each.direction === 'payin' && each.status === status && each.callback_state === 'delivered',
  )

const once = (what: string, count: (scenes: readonly Scene[]) => number): RecordCheck => ({
  judge(scenes) {
    const found = count(scenes)
    return found > 0 ? pass(`${what}: ${found}.`) : notSeen(`${what}: none on record.`)
  },
})

const asked = (operations: readonly string[]) => (scenes: readonly Scene[]) =>
  requestsOf(scenes).filter(({ operation, status }) => operations.includes(operation ?? '') && status === 200)
    .length

const discovery: RecordCheck = {
  judge(scenes) {
    const all = requestsOf(scenes)
    const first = all.findIndex(({ operation }) => operation === 'createGlobalPayment')
    if (first < 0) return notSeen('No global payment is on record.')
    const found = all
      .slice(0, first)
      .find(({ path, method }) => method === 'GET' && path.startsWith('/api/global/'))
    if (found)
      return pass(`${found.path} was asked before the first global payment.`, ofRequest(found, 'discovery'))
    return fail(
      'The first global payment came before any request of discovery.',
      ofRequest(all[first]!, 'payment'),
    )
  },
}

const kycEnds: RecordCheck = {
  judge(scenes) {
    const seen = new Set(scenes.flatMap(({ kyc }) => kyc.map(({ status }) => status)))
    const ends = (['approved', 'rejected'] as const).filter((end) => seen.has(end))
    if (ends.length === 2) return pass('One submission was approved and one rejected.')
    return notSeen(ends.length === 1 ? `Only one that was ${ends[0]}.` : 'No review came to an end.')
  },
}

const errors: RecordCheck = {
  judge(scenes) {
    const met = errorCodesOf(requestsOf(scenes))
    const missing = MEANT.filter((code) => !met.includes(code))
    if (missing.length === 0) return pass(`Met: ${met.join(', ')}.`)
    return notSeen(`Not met yet: ${missing.join(', ')}.`)
  },
}

const MEANT = ['invalid_argument', 'unauthenticated', 'permission_denied', 'resource_not_found']

const onboarding = {
  'ONB-1': once(
    'Pay-ins that succeeded, with a delivered callback',
    (scenes) => told(scenes, 'SUCCESS').length,
  ),
  'ONB-2': once('Pay-ins that failed, with a delivered callback', (scenes) => told(scenes, 'FAILED').length),
  'ONB-3': once(
    'Payments that were reversed, with a delivered callback',
    (scenes) => told(scenes, 'REVERSED').length,
  ),
  'ONB-4': once(
    'Payouts that became final',
    (scenes) =>
      transactionsOf(scenes).filter(({ direction, status }) => direction === 'payout' && status !== 'QUEUED')
        .length,
  ),
  'ONB-5': once('Listings of payment channels', asked(['listPaymentChannels'])),
  'ONB-6': kycEnds,
  'ONB-7': once(
    'Invitations accepted',
    (scenes) => scenes.flatMap(({ invites }) => invites).filter(({ status }) => status === 'accepted').length,
  ),
  'ONB-8': discovery,
  'ONB-9': errors,
} as const

const REDACTED = '[redacted]'

/** Names of headers that hold credentials rightly. */
const MAY_HOLD = /^(authorization|cookie)$/i

/** What is found wrong with requests, each kind once. */
function faultsOf(
  scenes: readonly Scene[],
  faultOf: (request: Scene['requests'][number]) => string | undefined,
  right: string,
): Finding {
  const all = requestsOf(scenes)
  if (all.length === 0) return notSeen('No request of the shop is on record.')
  const wrong = all.flatMap((request) => {
    const what = faultOf(request)
    return what === undefined ? [] : [{ what, request }]
  })
  if (wrong.length === 0) return pass(`${all.length} requests: ${right}`)
  const kinds = [...new Set(wrong.map(({ what }) => what))].slice(0, 4).join(', ')
  return fail(
    `Of ${all.length} requests ${wrong.length} have ${kinds}.`,
    ...wrong.slice(0, 4).map(({ request }) => ofRequest(request, 'request')),
  )
}

const authorizationAlone: RecordCheck = {
  judge: (scenes) =>
    faultsOf(
      scenes,
      ({ path, headers, body }) => {
        if (/[?&](?:[\w-]*(?:key|token|secret|password|authorization)[\w-]*)=/i.test(path))
          return 'credentials in the address'
        const named = headers.find(
          ({ name, value }) => /api[-_]?key|x-auth|password/i.test(name) && value !== '',
        )
        if (named) return `credentials in the header ${named.name}`
        // A Team has a user name, too.
        return /"(?:password|api_key|apikey|authorization)":/i.test(JSON.stringify(body))
          ? 'credentials in the body'
          : undefined
      },
      'credentials in Authorization alone.',
    ),
}

const noSecrets: RecordCheck = {
  judge: (scenes) =>
    faultsOf(
      scenes,
      ({ headers, body }) => {
        const text = JSON.stringify(body) ?? ''
        // Credentials are another check's.
        const names = [...text.matchAll(/"([^"]+)":"[^"]*\[redacted\]/g)].map(([, name]) => name!)
        const field = names.find((name) => !/^(username|password|api_key|apikey|authorization)$/i.test(name))
        if (field !== undefined) return `a secret in the field ${field}`
        if (text.includes('whsec_')) return 'a signing secret in the body'
        const header = headers.find(
          ({ name, value }) =>
            !MAY_HOLD.test(name) &&
            !/api[-_]?key|x-auth|password/i.test(name) &&
            (value.includes(REDACTED) || value.includes('whsec_')),
        )
        return header ? `a secret in the header ${header.name}` : undefined
      },
      'no secret in bodies or headers.',
    ),
}

const tls: RecordCheck = {
  judge(scenes) {
    const attempts = scenes.flatMap(({ callbacks }) => callbacks.flatMap((each) => each.attempts))
    const outside = attempts.filter(({ url }) => !isLocal(url) && !url.includes('/sandbox/inbox/'))
    if (outside.length === 0) return notSeen('No callback went to a receiver outside this machine.')
    const plain = outside.find(({ url }) => url.startsWith('http:'))
    if (plain)
      return fail(
        `The receiver ${new URL(plain.url).host} is not behind TLS.`,
        ofAttempt(plain, 'POST', 'without TLS'),
      )
    const broken = outside.find(({ error }) => /TLS|certificate/i.test(error))
    if (broken)
      return fail(`The certificate does not verify: ${broken.error}.`, ofAttempt(broken, 'POST', 'TLS'))
    const answered = outside.filter(({ answer }) => answer !== null)
    return answered.length > 0
      ? pass(`${answered.length} callbacks went over TLS that verifies.`)
      : unsure('No connection to the receiver came about.')
  },
}

/** What libraries call themselves when nobody tells them otherwise. */
const LIBRARY =
  /^(node|undici|node-fetch|axios|got|python-requests|python-httpx|python-urllib|aiohttp|go-http-client|java|okhttp|apache-httpclient|guzzlehttp|php|ruby|faraday|curl|wget|postmanruntime|libwww-perl|dart|reqwest|bun|deno)\b/i

const namesItself: RecordCheck = {
  judge: (scenes) =>
    faultsOf(
      scenes,
      ({ headers }) => {
        const agent = headers.find(({ name }) => name.toLowerCase() === 'user-agent')?.value ?? ''
        if (agent === '') return 'no User-Agent'
        return LIBRARY.test(agent) ? `the User-Agent of a library (${agent.slice(0, 40)})` : undefined
      },
      'each names the shop.',
    ),
}

const nothingToSee: ActiveCheck = {
  time: 'frozen',
  async make(stage) {
    const paid = await untold(stage)
    const url = paid.payment.callback_url === '' ? stage.profile.receiver.url : paid.payment.callback_url
    if (url === undefined) return unsure('There is no address for callbacks.')
    stage.notes.did('The address of callbacks is asked by GET.')
    const { status, text, exchange } = await stage.direct('GET', { method: 'GET' }, url)
    if (status === null) return unsure(`It gives no answer: ${exchange.error}.`, exchange)
    if (status >= 400 && status < 500 && text.length <= 4_096) return pass(`It answered ${status}.`, exchange)
    return fail(`It answered ${status} with ${text.length} characters.`, exchange)
  },
}

const security = {
  'SEC-1': authorizationAlone,
  'SEC-2': tls,
  'SEC-3': noSecrets,
  'SEC-4': namesItself,
  'SEC-5': nothingToSee,
} as const

export const others = { ...onboarding, ...security }
