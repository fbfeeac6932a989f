import { createHmac } from 'node:crypto'
import { systemWall } from '../../lib/clock/clock.ts'
import { standingText } from '../probe.ts'
import type { WorldRecord } from '../world-record.ts'
import type { CheckRun } from '../check-run.ts'
import { type Checks, fail, notSeen, pass, unsure } from './check.ts'
import { allTaken, answerText, isPaidOnce, isTaken, once, succeededPayment } from './steps.ts'
import { ofAttempt } from '../evidence.ts'

const made = { level: 'recommended', how: 'made', probe: false } as const
const recorded = { level: 'mandatory', how: 'record', probe: false } as const

export const receiverManners = {
  'RCV-20': {
    ...recorded,
    title: 'Answers in a way that can be believed',
    tried: 'Every answer of the receiver on record is looked at.',
    expected: 'No redirect, no answer above 4 KiB, and never 2xx to what should have been refused.',
    why: 'Redirects are not followed, so that the callback counts as failed; large answers are pages of errors or logins; 2xx to a forgery says that it was taken.',
    mend: 'Answer at the address itself, with a status and few bytes. Mind slashes at the end, http to https and logins in front.',
    docs: 'delivery.md#what-is-sent-and-when',
    fault: 'What the receiver answers cannot be believed.',
    judge(records) {
      const attempts = attemptsOf(records, ['RCV-25', 'RCV-26', 'RCV-27'])
      const answered = attempts.filter(({ attempt }) => attempt.answer !== null)
      if (answered.length === 0) return notSeen('No answer of a receiver is on record.')
      const wrong = answered.flatMap(({ attempt, callback, check }) => {
        const { status, body, headers } = attempt.answer!
        const length = Number(headers['content-length'] ?? body.length)
        const forged = check === null && FORGED.includes(callback.fault ?? '') && isTaken({ status })
        const what =
          status >= 300 && status < 400
            ? `a redirect (${status})`
            : length > 4_096 || body.length >= 4_096
              ? `${length > 4_096 ? length : 'more than 4096'} bytes`
              : forged
                ? `${status} to one that was ${callback.fault}`
                : undefined
        return what === undefined ? [] : [{ what, exchange: ofAttempt(attempt, 'POST', what) }]
      })
      if (wrong.length === 0) return pass(`${answered.length} answers were looked at.`)
      const kinds = [...new Set(wrong.map(({ what }) => what))].slice(0, 4)
      return fail(
        `Of ${answered.length} answers ${wrong.length} should not be: ${kinds.join(', ')}.`,
        ...wrong.slice(0, 4).map(({ exchange }) => exchange),
      )
    },
  },
  'RCV-21': {
    ...recorded,
    title: 'Answers in time',
    tried: 'The time of every answer of the receiver on record is looked at.',
    expected: 'Each came within the profile’s receiver.within, 5 seconds when it says nothing.',
    why: 'What is answered late is counted as failed and sent again, on top of the work that made it late.',
    mend: 'Save the callback, answer, and do the work afterwards.',
    docs: 'delivery.md#what-is-sent-and-when',
    fault: 'The receiver answers too late.',
    judge(records, profile) {
      const within = profile?.receiver.within ?? DEFAULT_WITHIN
      const attempts = attemptsOf(records, [
        'RCV-22',
        'RCV-26',
        'RCV-23',
        'RCV-11',
        'RCV-27',
        'RCV-28',
      ]).filter(
        ({ attempt, callback }) =>
          callback.fault !== 'slow' && (attempt.answer !== null || /time limit/.test(attempt.error)),
      )
      if (attempts.length === 0) return notSeen('No answer of a receiver is on record.')
      const late = attempts.filter(({ attempt }) => attempt.duration_ms > within)
      const slowest = Math.max(...attempts.map(({ attempt }) => attempt.duration_ms))
      if (late.length === 0) return pass(`${attempts.length} answers, the slowest after ${slowest} ms.`)
      return fail(
        `Of ${attempts.length} answers ${late.length} came later than after ${within} ms, the slowest after ${slowest} ms.`,
        ...late.slice(0, 4).map(({ attempt }) => ofAttempt(attempt, 'POST', 'late')),
      )
    },
  },
  'RCV-22': {
    ...made,
    title: 'Answers fifty at once in time',
    tried: 'Fifty callbacks leave at one moment.',
    expected: 'Each is answered within the profile’s time, and none with 500 or above.',
    why: 'After an outage everything that was owed comes at once. Receivers that bear one at a time fail then, and are sent more.',
    mend: 'Answer before the work, with a queue between; give the pool of database connections a limit that fits.',
    docs: 'delivery.md#order',
    time: 'alone',
    async make(run) {
      const within = run.profile.receiver.within
      const paid = await succeededPayment(run)
      run.evidence.step('Fifty callbacks leave at one moment.')
      const { exchanges } = await run.callbacks.send(paid, 'one of fifty', { copies: 50 })
      const late = exchanges.filter(({ duration_ms, answer }) => duration_ms > within || answer === null)
      const fell = exchanges.filter(({ answer }) => (answer?.status ?? 0) >= 500)
      const slowest = Math.max(...exchanges.map(({ duration_ms }) => duration_ms))
      const seen = `Of ${exchanges.length} callbacks at one moment the slowest was answered after ${slowest} ms.`
      if (late.length > 0)
        return fail(`${seen} ${late.length} were late, above ${within} ms, or not answered.`, ...late)
      if (fell.length > 0) return fail(`${seen} ${fell.length} were answered 500 or above.`, ...fell)
      return pass(seen, ...exchanges.slice(0, 2))
    },
  },
  'RCV-23': {
    ...made,
    probe: true,
    title: 'Takes the retry when its answer was lost',
    tried: 'The connection is cut once the callback was sent; it is sent again, with the same id.',
    expected: 'The second is answered from 200 to 299, and the order is delivered once.',
    why: 'The receiver has booked it and nobody knows. The retry must neither be booked again nor refused.',
    mend: 'Answer a callback that was booked already with 200.',
    docs: 'delivery.md#faults',
    time: 'frozen',
    needs: ['trigger', 'probe', 'counts'],
    async make(run) {
      const paid = await succeededPayment(run)
      await run.world.configure({ retry_profile: 'sandbox' })
      run.evidence.step('The connection is cut once the callback was sent; it is sent again.')
      const sent = await run.callbacks
        .send(paid, 'cut', { fault: 'lost-response' })
        .finally(() => run.world.configure({ retry_profile: 'none' }))
      const finding = await once(run, paid, [sent])
      // The receiver accepted the retry without an effect.
      return finding.verdict === 'inconclusive' && isTaken(sent) ? { ...finding, verdict: 'fail' } : finding
    },
  },
  'RCV-24': {
    ...made,
    title: 'Takes JSON that is written otherwise',
    tried:
      'Callbacks with more fields than described, and with fields in another order, escapes and amounts as 1e2.',
    expected: 'Each is answered from 200 to 299.',
    why: 'A field more is no new version. Receivers that compare texts or refuse what they do not know stop on the day it comes.',
    mend: 'Read the JSON with a parser, take the fields you need and ignore the others.',
    docs: 'delivery.md#faults',
    time: 'frozen',
    async make(run) {
      const paid = await succeededPayment(run)
      return allTaken(run, paid, {
        'with more fields than described': {
          set: { risk_score: 12, settled_by: { name: 'Zoë 漢字 🎉', steps: [] } },
        },
        'as JSON that is written otherwise': { fault: 'reformatted' },
      })
    },
  },
  'RCV-25': {
    ...made,
    title: 'Refuses other methods and content types',
    tried: 'The callback is sent by PUT and by DELETE, and as text/plain; then as it should be.',
    expected: 'The first are answered from 400 to 499, the last is taken.',
    why: 'What takes any method can be reached by links and forms of other pages.',
    mend: 'Route POST alone, answer 405 to others, and 415 to what is not application/json.',
    docs: 'delivery.md#what-is-sent-and-when',
    time: 'frozen',
    async make(run) {
      const paid = await succeededPayment(run)
      const ways = {
        'by PUT': { method: 'PUT' },
        'by DELETE': { method: 'DELETE' },
        'as text/plain': { content_type: 'text/plain' },
      } as const
      const sent = []
      for (const [label, wanted] of Object.entries(ways)) {
        run.evidence.step(`The callback is sent ${label}.`)
        sent.push({ label, ...(await run.callbacks.send(paid, label, wanted)) })
      }
      const twin = await run.callbacks.send(paid, 'twin')
      const exchanges = [...sent, twin].map(({ exchange }) => exchange)
      const wrong = sent.filter(({ status }) => status === null || status < 400 || status >= 500)
      if (wrong.length > 0)
        return fail(
          `The receiver ${wrong.map((each) => `${answerText(each)} to one ${each.label}`).join(', ')}.`,
          ...exchanges,
        )
      if (!isTaken(twin))
        return unsure(`Even to a good callback the receiver ${answerText(twin)}.`, ...exchanges)
      return pass(
        `The receiver ${sent.map((each) => `${answerText(each)} ${each.label}`).join(', ')}.`,
        ...exchanges,
      )
    },
  },
  'RCV-26': {
    ...made,
    title: 'Bears a body of a megabyte',
    tried: 'A callback, rightly signed, is a megabyte long.',
    expected: 'It is answered with 413, or from 200 to 299.',
    why: 'A receiver that hangs or falls over at a large body can be stopped by anybody.',
    mend: 'Give the reader of bodies a limit, and answer 413 above it.',
    docs: 'delivery.md#faults',
    time: 'frozen',
    async make(run) {
      const paid = await succeededPayment(run)
      run.evidence.step('A callback is sent that is a megabyte long.')
      const sent = await run.callbacks.send(paid, 'a megabyte', { padding: MEGABYTE })
      const seen = `The receiver ${answerText(sent)}.`
      const exchange = {
        ...sent.exchange,
        request: { ...sent.exchange.request, body: sent.exchange.request.body.trimEnd() },
      }
      return sent.status === 413 || isTaken(sent) ? pass(seen, exchange) : fail(seen, exchange)
    },
  },
  'RCV-27': {
    ...made,
    title: 'Tells nothing of itself in errors',
    tried: 'What it answers to broken JSON, to a malformed signature and to no body is read.',
    expected: 'Each is answered, without a trace of a stack, a path of a file or a secret.',
    why: 'Traces tell strangers what the shop is made of and where it is weak; some hold the secret itself.',
    mend: 'Turn the error pages of development off, and answer a status with a short text; 400 to what cannot be read.',
    docs: 'go-live.md#verify',
    time: 'frozen',
    async make(run) {
      const paid = await succeededPayment(run)
      const malformed = await run.callbacks.send(paid, 'half a signature', { fault: 'malformed-signature' })
      const { url } = malformed.exchange
      run.evidence.step('The receiver is sent broken JSON, rightly signed, and nothing at all.')
      const broken = await run.request(
        'broken JSON',
        { method: 'POST', body: '{"status":', headers: signedBy(run, '{"status":') },
        url,
      )
      const empty = await run.request('no body', { method: 'POST', headers: signedBy(run, '') }, url)
      const answers = [
        {
          label: 'half a signature',
          text: malformed.exchange.answer?.body ?? '',
          exchange: malformed.exchange,
        },
        { label: 'broken JSON', ...broken },
        { label: 'no body', ...empty },
      ]
      const told = answers.flatMap(({ label, text, exchange }) =>
        TELLING.filter(([, pattern]) => pattern.test(text) || text.includes(run.secret)).map(([what]) => ({
          said: `${what} to ${label}`,
          exchange,
        })),
      )
      const silent = answers.find(({ exchange }) => exchange.answer === null)
      if (silent) {
        const seen = `To ${silent.label} the receiver gave no answer (${silent.exchange.error}).`
        return silent === answers[0]
          ? unsure(seen, silent.exchange)
          : fail(`${seen} It fell over.`, silent.exchange)
      }
      if (told.length === 0)
        return pass('Nothing of the shop was told.', ...answers.map(({ exchange }) => exchange))
      return fail(
        `The receiver told ${[...new Set(told.map(({ said }) => said))].join(', ')}.`,
        ...told.map(({ exchange }) => exchange),
      )
    },
  },
  'RCV-28': {
    ...made,
    probe: true,
    title: 'Stores before it answers',
    tried: 'The shop is restarted right after it answered a callback from 200 to 299.',
    expected: 'The order is paid and delivered once afterwards.',
    why: 'After 2xx nobody sends it again. What was only in memory is lost with every deployment.',
    mend: 'Commit the callback, or a row of a queue, to the database before answering.',
    docs: 'delivery.md#what-is-sent-and-when',
    time: 'alone',
    needs: ['trigger', 'probe', 'restart'],
    async make(run) {
      const paid = await succeededPayment(run)
      run.evidence.step('The callback is sent, and the shop restarted right after its answer.')
      const sent = await run.callbacks.send(paid, 'good')
      if (!isTaken(sent)) return unsure(`The receiver ${answerText(sent)} to a good callback.`, sent.exchange)
      await run.perform(run.profile.restart!, 'restart')
      await run.waitForShop(paid)
      const standing = await run.standing(paid, isPaidOnce)
      const seen = `After the restart the order is ${standingText(standing)}.`
      return isPaidOnce(standing) ? pass(seen, sent.exchange) : fail(seen, sent.exchange)
    },
  },
} as const satisfies Checks

/** Returns every attempt on record, except those of checks that judge the same property. */
const attemptsOf = (records: readonly WorldRecord[], without: readonly WorldRecord['check'][]) =>
  records
    .filter(({ check }) => !without.includes(check))
    .flatMap(({ callbacks, check }) =>
      callbacks.flatMap(({ callback, attempts }) =>
        attempts.map((attempt) => ({ callback, attempt, check })),
      ),
    )

/** Faults that every receiver must refuse. */
const FORGED = ['tampered', 'wrong-secret', 'stale', 'unsigned', 'malformed-signature']

/** Default time limit of an answer, milliseconds. */
const DEFAULT_WITHIN = 5_000

const MEGABYTE = 1_048_576

/** Stack traces, file paths and secrets in common languages. */
const TELLING: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    'a stack trace',
    /^\s+at .+[(:]\S+:\d+|Traceback \(most recent call last\)|^\s*File ".+", line \d+|\bat [\w.$]+\(\w+\.java:\d+\)|goroutine \d+ \[|#\d+ \/\S+\.php\(\d+\)/m,
  ],
  [
    'the path of a file',
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
