import type { WorldRecord, ShopRequest } from '../world-record.ts'
import { fail, judgeEach, notSeen, pass, requestsOf, sharing, unsure } from './check.ts'
import { isLocal } from './client-requests.ts'
import { ofAttempt, ofRequest } from '../evidence.ts'

export const security = sharing({ level: 'recommended' })({
  'SEC-1': {
    level: 'mandatory',
    title: 'Sends credentials in the Authorization header only',
    tried: 'Certify searches the URLs, headers and bodies of the requests in the log.',
    expected: 'The key is in the Authorization header and nowhere else.',
    impact: 'Every system between the shop and the service logs URLs and bodies.',
    fix: 'Use the Authorization header, and no user:password@ in the URL.',
    docs: 'troubleshooting.md#401-unauthenticated',
    mend: { 'If a field or another header contains them': 'Remove it: the Authorization header suffices.' },
    ...requestsWithout(({ path, headers, body }) => {
      if (/[?&](?:[\w-]*(?:key|token|secret|password|authorization)[\w-]*)=/i.test(path))
        return 'credentials in the address'
      const named = headers.find(
        ({ name, value }) => /api[-_]?key|x-auth|password/i.test(name) && value !== '',
      )
      if (named) return `credentials in the header ${named.name}`
      // `username` is absent from the pattern, since a Team has one, too.
      const [, field] = /"(password|api_key|apikey|authorization)":/i.exec(JSON.stringify(body)) ?? []
      return field === undefined ? undefined : `credentials in the field ${field} of the body`
    }, 'credentials in Authorization only.'),
  },
  'SEC-2': {
    level: 'mandatory',
    version: 2,
    title: 'Serves its receiver over verifiable TLS',
    tried: 'Certify reads the addresses of callbacks in the log and the results of connecting to them.',
    expected: 'Each receiver outside this machine uses https with a valid certificate.',
    impact:
      'Without TLS, anyone on the network path can read payments; with an invalid certificate, no callback arrives in production.',
    fix: 'Use a certificate of a public authority, with its chain.',
    docs: 'go-live.md#before-you-go-live',
    judge(records) {
      const attempts = records.flatMap(({ callbacks }) => callbacks.flatMap((each) => each.attempts))
      const outside = attempts.filter(({ url }) => !isLocal(url) && !url.includes('/sandbox/inbox/'))
      if (attempts.length === 0) return notSeen('No callback was sent.')
      if (outside.length === 0)
        return {
          verdict: 'not_applicable',
          observed: 'Every receiver is on this machine, where TLS proves nothing.',
        }
      const plain = outside.find(({ url }) => url.startsWith('http:'))
      if (plain)
        return fail(
          `The receiver ${new URL(plain.url).host} is not behind TLS.`,
          ofAttempt(plain, 'POST', 'without TLS'),
        )
      const broken = outside.find(({ error }) => /TLS|certificate/i.test(error))
      if (broken)
        return fail(`The certificate does not verify: ${broken.error}.`, ofAttempt(broken, 'POST', 'TLS'))
      const answered = outside.filter(({ response: answer }) => answer !== null)
      return answered.length > 0
        ? pass(
            `${answered.length} callbacks were sent over verified TLS.`,
            ofAttempt(answered[0]!, 'POST', 'TLS'),
          )
        : unsure('No connection to the receiver succeeded.')
    },
  },
  'SEC-3': {
    level: 'mandatory',
    title: 'Sends no secrets in bodies or headers',
    tried: 'Certify searches the bodies and headers of the requests in the log for secrets.',
    expected: 'They contain no signing secret, password or token, except in Authorization.',
    impact: 'Others store what they receive: in logs and support tickets.',
    fix: 'Send the fields of the operation one by one, not a whole internal object.',
    docs: 'signatures.md',
    ...requestsWithout(({ headers, body }) => {
      const text = JSON.stringify(body) ?? ''
      // SEC-1 judges credentials.
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
    }, 'no secret in bodies or headers.'),
  },
  'SEC-4': {
    title: 'Identifies itself',
    tried: 'Certify reads the User-Agent of the requests in the log.',
    expected: 'It contains the name or version of the shop, not only of an HTTP library.',
    impact:
      'If something goes wrong, the service finds the requests of a program by its name and knows whom to call.',
    fix: 'Set User-Agent to the name and version of the shop, such as kiosk/2.1.',
    docs: 'troubleshooting.md',
    ...requestsWithout(({ headers }) => {
      const agent = headers.find(({ name }) => name.toLowerCase() === 'user-agent')?.value ?? ''
      if (agent === '') return 'no User-Agent'
      return LIBRARY.test(agent) ? `the User-Agent of a library (${agent.slice(0, 40)})` : undefined
    }, 'each identifies the shop.'),
  },
  'SEC-5': {
    title: 'Shows nothing at its callback address',
    tried: 'Certify sends a GET request to the callback address.',
    expected: 'The response is from 400 to 499 and short.',
    impact: 'Addresses are guessed. A page there reveals its purpose.',
    fix: 'Route POST only; respond with 405 or 404 to GET.',
    docs: 'go-live.md#verify',
    async make(run) {
      const paid = await run.succeededPayment()
      const url = paid.payment.callback_url === '' ? run.profile.receiver.url : paid.payment.callback_url
      if (url === undefined) return unsure('There is no callback address.')
      run.evidence.step('Certify sends a GET request to the callback address.')
      const { status, text, exchange } = await run.request('GET', { method: 'GET' }, url)
      if (status === null) return unsure(`It sent no response: ${exchange.error}.`, exchange)
      if (status >= 400 && status < 500 && text.length <= 4_096)
        return pass(`It responded with ${status}.`, exchange)
      return fail(`It responded with ${status} and ${text.length} characters.`, exchange)
    },
  },
})

const REDACTED = '[redacted]'

const MAY_HOLD = /^(authorization|cookie)$/i

const removal = (fault: string) => {
  const [, place] = /^(?:credentials|a secret) in (the (?:field|header) .+)$/.exec(fault) ?? []
  return place && `Remove ${place}: the Authorization header suffices.`
}

/** Judges all requests. */
function requestsWithout(faultOf: (request: ShopRequest) => string | undefined, right: string) {
  const judge = (records: readonly WorldRecord[]) => {
    const all = requestsOf(records)
    return judgeEach({
      all,
      none: 'The request log contains no request of the shop.',
      faultOf,
      shown: (each) => ofRequest(each, 'request'),
      most: 1,
      passes: `${all.length} requests: ${right}`,
      fails: (count, kinds, { method, path }) =>
        `${count} of ${all.length} requests have ${kinds}, for instance ${method} ${path}.`,
      fixOf: (fault) => removal(fault),
    })
  }
  return { judge }
}

const LIBRARY =
  /^(node|undici|node-fetch|axios|got|python-requests|python-httpx|python-urllib|aiohttp|go-http-client|java|okhttp|apache-httpclient|guzzlehttp|php|ruby|faraday|curl|wget|postmanruntime|libwww-perl|dart|reqwest|bun|deno)\b/i
