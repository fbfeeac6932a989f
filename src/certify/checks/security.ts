import type { WorldRecord, ShopRequest } from '../world-record.ts'
import { type Checks, fail, type Finding, notSeen, pass, unsure } from './check.ts'
import { isLocal } from './client-requests.ts'
import { succeededPayment } from './steps.ts'
import { ofAttempt, ofRequest } from '../evidence.ts'

const recorded = { level: 'recommended', how: 'record', probe: false } as const

export const security = {
  'SEC-1': {
    ...recorded,
    level: 'mandatory',
    title: 'Sends credentials in Authorization alone',
    tried: 'Addresses, headers and bodies of the requests on record are searched.',
    expected: 'The key is in the header Authorization and nowhere else.',
    why: 'Addresses and bodies are written to logs by everything between the shop and the service.',
    mend: 'Use the header Authorization, and no user:password@ in the address.',
    docs: 'troubleshooting.md#401-unauthenticated',
    fault: 'Credentials are sent where others can read them.',
    judge: (records) =>
      faultsOf(
        records,
        ({ path, headers, body }) => {
          if (/[?&](?:[\w-]*(?:key|token|secret|password|authorization)[\w-]*)=/i.test(path))
            return 'credentials in the address'
          const named = headers.find(
            ({ name, value }) => /api[-_]?key|x-auth|password/i.test(name) && value !== '',
          )
          if (named) return `credentials in the header ${named.name}`
          // `username` is absent from the pattern, since a Team has one, too.
          return /"(?:password|api_key|apikey|authorization)":/i.test(JSON.stringify(body))
            ? 'credentials in the body'
            : undefined
        },
        'credentials in Authorization alone.',
      ),
  },
  'SEC-2': {
    ...recorded,
    level: 'mandatory',
    title: 'Has its receiver behind TLS that verifies',
    tried: 'The addresses of callbacks on record, and how connections to them went, are looked at.',
    expected: 'Each receiver outside this machine has https, and its certificate verifies.',
    why: 'Without TLS anybody between reads who paid what; with a certificate that does not verify no callback arrives in production.',
    mend: 'Give the receiver a certificate of a public authority, with the chain.',
    docs: 'go-live.md#before-you-go-live',
    fault: 'Callbacks do not travel by a connection that is safe.',
    judge(records) {
      const attempts = records.flatMap(({ callbacks }) => callbacks.flatMap((each) => each.attempts))
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
  },
  'SEC-3': {
    ...recorded,
    level: 'mandatory',
    title: 'Sends no secret where none belongs',
    tried: 'Bodies and headers of the requests on record are searched for what looks like a secret.',
    expected: 'There is no signing secret, password or token in them, but for Authorization.',
    why: 'What is sent along is kept by others: in records, logs and support tickets.',
    mend: 'Send the fields that the operation has, one by one; not a whole object of your own.',
    docs: 'signatures.md',
    fault: 'A secret is sent where it does not belong.',
    judge: (records) =>
      faultsOf(
        records,
        ({ headers, body }) => {
          const text = JSON.stringify(body) ?? ''
          // SEC-1 judges credentials.
          const names = [...text.matchAll(/"([^"]+)":"[^"]*\[redacted\]/g)].map(([, name]) => name!)
          const field = names.find(
            (name) => !/^(username|password|api_key|apikey|authorization)$/i.test(name),
          )
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
  },
  'SEC-4': {
    ...recorded,
    title: 'Names itself',
    tried: 'The User-Agent of the requests on record is read.',
    expected: 'It names the shop or its version, not only the library that sends.',
    why: 'When something goes wrong the service finds the requests of a program by its name, and knows whom to call.',
    mend: 'Set User-Agent to the name and the version of the shop, such as kiosk/2.1.',
    docs: 'troubleshooting.md',
    judge: (records) =>
      faultsOf(
        records,
        ({ headers }) => {
          const agent = headers.find(({ name }) => name.toLowerCase() === 'user-agent')?.value ?? ''
          if (agent === '') return 'no User-Agent'
          return LIBRARY.test(agent) ? `the User-Agent of a library (${agent.slice(0, 40)})` : undefined
        },
        'each names the shop.',
      ),
  },
  'SEC-5': {
    ...recorded,
    how: 'made',
    title: 'Shows nothing at its callback address',
    tried: 'The address of callbacks is asked by GET.',
    expected: 'It answers from 400 to 499, with few bytes.',
    why: 'Addresses are guessed. A page there tells whoever finds it what it is.',
    mend: 'Route POST alone; answer 405 or 404 to GET.',
    docs: 'go-live.md#verify',
    time: 'frozen',
    async make(run) {
      const paid = await succeededPayment(run)
      const url = paid.payment.callback_url === '' ? run.profile.receiver.url : paid.payment.callback_url
      if (url === undefined) return unsure('There is no address for callbacks.')
      run.evidence.step('The address of callbacks is asked by GET.')
      const { status, text, exchange } = await run.request('GET', { method: 'GET' }, url)
      if (status === null) return unsure(`It gives no answer: ${exchange.error}.`, exchange)
      if (status >= 400 && status < 500 && text.length <= 4_096)
        return pass(`It answered ${status}.`, exchange)
      return fail(`It answered ${status} with ${text.length} characters.`, exchange)
    },
  },
} as const satisfies Checks

const REDACTED = '[redacted]'

/** Headers that may contain credentials. */
const MAY_HOLD = /^(authorization|cookie)$/i

/** Returns the faults of all requests, each kind once. */
function faultsOf(
  records: readonly WorldRecord[],
  faultOf: (request: ShopRequest) => string | undefined,
  right: string,
): Finding {
  const all = records.flatMap(({ requests }) => requests)
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

/** Default user agents of HTTP libraries. */
const LIBRARY =
  /^(node|undici|node-fetch|axios|got|python-requests|python-httpx|python-urllib|aiohttp|go-http-client|java|okhttp|apache-httpclient|guzzlehttp|php|ruby|faraday|curl|wget|postmanruntime|libwww-perl|dart|reqwest|bun|deno)\b/i
