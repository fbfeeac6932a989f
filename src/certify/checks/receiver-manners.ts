import { createHmac } from 'node:crypto'
import { systemWall } from '../../lib/clock/clock.ts'
import { isPaidOnce, type Standing, standingText, UNKNOWN_ORDER } from '../probe.ts'
import type { WorldRecord } from '../world-record.ts'
import type { CheckRun } from '../check-run.ts'
import {
  fail,
  isTaken,
  judgeEach,
  pass,
  passIf,
  RAW_BYTES,
  REDIRECTED,
  sharing,
  theOnly,
  unsure,
} from './check.ts'
import { allTaken, answerText, believes, once, sendVariants } from './steps.ts'
import { ofAttempt } from '../evidence.ts'

const FORGETS = {
  'If the order is unknown after the restart':
    'Store orders in a file or a database that outlives the process. The shop forgets the whole order, not only the callback.',
}

export const receiverManners = sharing({
  level: 'recommended',
  docs: 'delivery.md#when-a-callback-is-sent',
})({
  'RCV-20': {
    level: 'mandatory',
    title: 'Responds unambiguously',
    tried: 'Certify reads all responses of the receiver in the log.',
    expected: 'No redirect, no response above 4 KiB, and never 2xx to a forged callback.',
    impact:
      'The sandbox does not follow redirects, so the callback fails; large responses are error or login pages; 2xx to a forgery means that it was accepted.',
    fix: 'Respond at the address itself, with a status and a short body. Check for trailing slashes, redirects from http to https and login pages.',
    mend: REDIRECTED,
    judge(records) {
      const attempts = attemptsOf(records, ['RCV-25', 'RCV-26', 'RCV-27'])
      const answered = attempts.filter(({ attempt }) => attempt.response !== null)
      return judgeEach({
        all: answered,
        none: NO_RESPONSE,
        faultOf({ attempt, callback, check }) {
          const { status, body, headers } = attempt.response!
          const length = Number(headers['content-length'] ?? body.length)
          if (status >= 300 && status < 400) return `a redirect (${status})`
          if (length > 4_096 || body.length >= 4_096)
            return `${length > 4_096 ? length : 'more than 4096'} bytes`
          return check === null && FORGED.includes(callback.fault ?? '') && isTaken({ status })
            ? `${status} to a callback with the fault ${callback.fault}`
            : undefined
        },
        shown,
        passes: `None of ${answered.length} responses is ambiguous.`,
        fails: (count, kinds) => `${count} of ${answered.length} responses are ambiguous: ${kinds}.`,
        fixOf: (fault) => (fault.startsWith('a redirect') ? theOnly(REDIRECTED) : undefined),
      })
    },
  },
  'RCV-21': {
    level: 'mandatory',
    title: 'Responds in time',
    tried: 'Certify reads the duration of all responses of the receiver in the log.',
    expected: 'Each took at most receiver.within of the profile, 5 seconds by default.',
    impact:
      'A late response counts as a failure, so the callback is resent while the receiver is already overloaded.',
    fix: 'Save the callback, respond, and process it afterwards.',
    judge(records, profile) {
      const within = profile?.receiver.within ?? DEFAULT_WITHIN
      const attempts = timedAttempts(records)
      const slowest = Math.max(...attempts.map(({ attempt }) => attempt.duration_ms))
      return judgeEach({
        all: attempts,
        none: NO_RESPONSE,
        faultOf: ({ attempt }) => (attempt.duration_ms > within ? 'late' : undefined),
        shown,
        passes: `${attempts.length} responses, the slowest after ${slowest} ms.`,
        fails: (count) =>
          `${count} of ${attempts.length} responses took longer than ${within} ms, the slowest ${slowest} ms.`,
      })
    },
  },
  'RCV-22': {
    title: 'Responds to fifty simultaneous callbacks in time',
    tried: 'Fifty callbacks are sent simultaneously.',
    expected: 'Each gets a response within the profile’s time, and none of 500 or above.',
    impact:
      'After an outage, all pending callbacks arrive at once. Receivers that handle one at a time then fail and get even more.',
    fix: 'Respond first and process from a queue; size the pool of database connections accordingly.',
    docs: 'delivery.md#order',
    time: 'alone',
    async make(run) {
      const within = run.profile.receiver.within
      const paid = await run.succeededPayment()
      run.evidence.step('Fifty callbacks are sent simultaneously.')
      const { exchanges } = await run.callbacks.send(paid, 'one of fifty', { copies: 50 })
      const late = exchanges.filter(
        ({ duration_ms, response: answer }) => duration_ms > within || answer === null,
      )
      const fell = exchanges.filter(({ response: answer }) => (answer?.status ?? 0) >= 500)
      const slowest = Math.max(...exchanges.map(({ duration_ms }) => duration_ms))
      const seen = `The slowest response to ${exchanges.length} simultaneous callbacks took ${slowest} ms.`
      if (late.length > 0)
        return fail(`${seen} ${late.length} responses took longer than ${within} ms or are missing.`, ...late)
      if (fell.length > 0) return fail(`${seen} ${fell.length} responses were 500 or above.`, ...fell)
      return pass(seen, ...exchanges.slice(0, 2))
    },
  },
  'RCV-23': {
    feature: 'collect',
    title: 'Accepts the retry after a lost response',
    tried: 'The connection is cut after the callback was sent; the callback is resent with the same id.',
    expected: 'The second one gets a response from 200 to 299, and the order is delivered once.',
    impact:
      'The receiver has booked the callback, but the sender does not know. The receiver must neither book nor reject the retry.',
    fix: 'Respond with 200 to a callback that is already booked.',
    docs: 'delivery.md#faults',
    needs: ['trigger', 'probe', 'counts'],
    async make(run) {
      const paid = await run.succeededPayment()
      await run.world.configure({ retry_profile: 'sandbox' })
      run.evidence.step('The connection is cut after the callback was sent; the callback is resent.')
      const sent = await run.callbacks
        .send(paid, 'cut', { fault: 'lost-response' })
        .finally(() => run.world.configure({ retry_profile: 'none' }))
      const finding = await once(run, paid, [sent])
      // The receiver accepted the retry without an effect.
      return finding.verdict === 'inconclusive' && isTaken(sent) ? { ...finding, verdict: 'fail' } : finding
    },
  },
  'RCV-24': {
    level: 'mandatory',
    version: 2,
    title: 'Accepts equivalent JSON',
    tried: 'Callbacks with additional fields, and with another field order, escapes and amounts such as 1e2.',
    expected: 'Each gets a response from 200 to 299.',
    impact:
      'An additional field is not a new version. Receivers that compare text or reject unknown fields break when one is added.',
    fix: 'Parse the JSON, read the fields you need and ignore the others.',
    docs: 'delivery.md#faults',
    mend: RAW_BYTES,
    make: (run) =>
      allTaken(
        run,
        {
          'with additional fields': {
            set: { risk_score: 12, settled_by: { name: 'Zoë 漢字 🎉', steps: [] } },
          },
          'as equivalent JSON (other order, escapes, numbers such as 1e2)': { fault: 'reformatted' },
        },
        ({ status }) => (status === 401 || status === 403) && theOnly(RAW_BYTES),
      ),
  },
  'RCV-25': {
    version: 2,
    title: 'Rejects other methods and content types',
    tried: 'The callback is sent by PUT and DELETE, and as text/plain; then correctly.',
    expected: 'The first three get responses from 400 to 499, or 501; the last is accepted.',
    impact: 'A receiver that accepts any method is reachable by links and forms of other sites.',
    fix: 'Route POST only, respond with 405 to other methods, and 415 to other types than application/json.',
    async make(run) {
      const { sent, exchanges, unaccepted } = await sendVariants(run, {
        'by PUT': { method: 'PUT' },
        'by DELETE': { method: 'DELETE' },
        'as text/plain': { content_type: 'text/plain' },
      })
      // A server that implements no other method than POST responds with 501.
      const wrong = sent.filter(
        ({ status }) => status === null || status < 400 || (status >= 500 && status !== 501),
      )
      const seen = wrong.map((each) => `${answerText(each)} to a callback ${each.label}`).join(', ')
      if (wrong.length > 0) return fail(`The receiver ${seen}.`, ...exchanges)
      if (unaccepted) return unaccepted
      const rejected = sent.map((each) => `${answerText(each)} ${each.label}`).join(', ')
      return pass(`The receiver ${rejected}.`, ...exchanges)
    },
  },
  'RCV-26': {
    title: 'Handles a body of one megabyte',
    tried: 'A correctly signed callback has a body of one megabyte.',
    expected: 'The response is 413, or from 200 to 299.',
    impact: 'If a large body makes the receiver hang or crash, anyone can stop it.',
    fix: 'Limit the size of request bodies, and respond with 413 above it.',
    docs: 'delivery.md#faults',
    async make(run) {
      const paid = await run.succeededPayment()
      run.evidence.step('A callback with a body of one megabyte is sent.')
      const sent = await run.callbacks.send(paid, 'a megabyte', { padding: MEGABYTE })
      const seen = `The receiver ${answerText(sent)}.`
      const exchange = {
        ...sent.exchange,
        request: { ...sent.exchange.request, body: sent.exchange.request.body.trimEnd() },
      }
      return passIf(sent.status === 413 || isTaken(sent), seen, exchange)
    },
  },
  'RCV-27': {
    title: 'Reveals nothing in errors',
    tried: 'Certify reads the responses to broken JSON, a malformed signature and an empty body.',
    expected: 'There is a response to each, without a stack trace, a file path or a secret.',
    impact:
      'Traces show strangers how the shop is built and where it is weak; some contain the secret itself.',
    fix: 'Turn development error pages off, and respond with a status and a short text; 400 to an unreadable body.',
    docs: 'go-live.md#verify',
    async make(run) {
      const paid = await run.succeededPayment()
      const { exchange } = await run.callbacks.send(paid, 'half a signature', {
        fault: 'malformed-signature',
      })
      run.evidence.step('Certify sends broken JSON and an empty body, both correctly signed.')
      const post = (label: string, body: string) =>
        run.request(label, { method: 'POST', body, headers: signedBy(run, body) }, exchange.url)
      const half = { exchange, text: exchange.response?.body ?? '' }
      const answers = [half, await post('broken JSON', '{"status":'), await post('no body', '')]
      const silent = answers.find((each) => each.exchange.response === null)
      if (silent) {
        const { label, error } = silent.exchange
        const seen = `The receiver sent no response to ${label} (${error}).`
        return silent === half ? unsure(seen, exchange) : fail(`${seen} It crashed.`, silent.exchange)
      }
      const revealed = answers.flatMap((each) =>
        REVEALING.filter(([, pattern]) => pattern.test(each.text) || each.text.includes(run.secret)).map(
          ([what]) => ({ what: `${what} to ${each.exchange.label}`, exchange: each.exchange }),
        ),
      )
      const all = (revealed.length > 0 ? revealed : answers).map((each) => each.exchange)
      if (revealed.length === 0) return pass('The responses reveal nothing.', ...all)
      return fail(
        `The receiver revealed ${[...new Set(revealed.map(({ what }) => what))].join(', ')}.`,
        ...all,
      )
    },
  },
  'RCV-28': {
    level: 'mandatory',
    feature: 'collect',
    version: 2,
    mandatoryWith: 'restart',
    title: 'Stores before it responds',
    tried: 'The shop is restarted right after it responds to a callback with 2xx.',
    expected: 'The order is paid and delivered once afterwards.',
    impact: 'After 2xx the callback is not resent. If it was only in memory, every deployment loses some.',
    fix: 'Commit the callback, or a queue row, to the database before responding.',
    time: 'alone',
    needs: ['trigger', 'probe', 'restart'],
    mend: FORGETS,
    async make(run) {
      const paid = await run.succeededPayment()
      run.evidence.step('The callback is sent, and the shop is restarted right after its response.')
      const sent = await run.callbacks.send(paid, 'good')
      if (!isTaken(sent))
        return unsure(`The receiver ${answerText(sent)} to a valid callback.`, sent.exchange)
      await run.perform(run.profile.restart!, 'restart')
      await run.waitForShop(paid)
      const isGone = ({ word }: Standing) => word === UNKNOWN_ORDER
      const text = (standing: Standing) =>
        isGone(standing)
          ? 'After the restart, the shop does not know the order any more.'
          : `After the restart the order is ${standingText(standing)}.`
      const fixOf = (standing: Standing) => isGone(standing) && theOnly(FORGETS)
      return believes(run, paid, isPaidOnce, [sent.exchange], text, fixOf)
    },
  },
})

type Attempts = ReturnType<typeof attemptsOf>
const shown = ({ attempt }: Attempts[number], fault = 'callback') => ofAttempt(attempt, 'POST', fault)
const NO_RESPONSE = 'The request log contains no response of a receiver.'
/** Checks in which responses may be late or missing. */
const LATE = ['RCV-22', 'RCV-26', 'RCV-23', 'RCV-11', 'RCV-27', 'RCV-28'] as const

/** Returns every attempt on record, except those of checks that judge the same property. */
const attemptsOf = (records: readonly WorldRecord[], without: readonly WorldRecord['check'][]) =>
  records
    .filter(({ check }) => !without.includes(check))
    .flatMap(({ callbacks, check }) =>
      callbacks.flatMap(({ callback, attempts }) =>
        attempts.map((attempt) => ({ callback, attempt, check })),
      ),
    )

/** Returns the attempts whose duration RCV-21 judges. */
export const timedAttempts = (records: readonly WorldRecord[]): Attempts =>
  attemptsOf(records, LATE).filter(
    ({ attempt, callback }) =>
      callback.fault !== 'slow' && (attempt.response !== null || /time limit/.test(attempt.error)),
  )

/** Faults that every receiver must refuse. */
const FORGED = ['tampered', 'wrong-secret', 'stale', 'unsigned', 'malformed-signature']

const DEFAULT_WITHIN = 5_000

const MEGABYTE = 1_048_576

/** Stack traces, file paths and secrets in common languages. */
const REVEALING: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    'a stack trace',
    /^\s+at .+[(:]\S+:\d+|Traceback \(most recent call last\)|^\s*File ".+", line \d+|\bat [\w.$]+\(\w+\.java:\d+\)|goroutine \d+ \[|#\d+ \/\S+\.php\(\d+\)/m,
  ],
  [
    'a file path',
    /(?:\/(?:home|usr|var|app|srv|opt|root|Users)\/|[A-Z]:\\)[\w.\\/-]+\.(?:[cm]?[jt]sx?|py|rb|php|go|java|cs)\b|node_modules\//,
  ],
  ['a secret', /whsec_[\w+/=-]{8}|\b(?:sk|pk)_(?:live|test)_\w{8}|-----BEGIN [A-Z ]*PRIVATE KEY-----/],
]

/** Signs by the profile `standard`; to receivers of other profiles the callback is unsigned. */
function signedBy({ secret }: CheckRun, body: string): Record<string, string> {
  const id = 'msg_certify'
  const timestamp = Math.floor(systemWall() / 1000)
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}
