import { createHmac } from 'node:crypto'
import { systemWall } from '../../clock.ts'
import type { Profile } from '../profile.ts'
import type { Scene } from '../scene.ts'
import { ofAttempt } from '../exchange.ts'
import type { Stage } from '../stage.ts'
import { isPaidOnce, once } from './receiver-effects.ts'
import { standingText } from '../probe.ts'
import { allTaken, untold } from './receiver-signatures.ts'
import { answerText, fail, isTaken, type Judged, type Made, notSeen, pass, unsure } from './try.ts'

/** Every attempt on record, but of checks that judge the same for themselves. */
const attemptsOf = (scenes: readonly Scene[], without: readonly Scene['check'][]) =>
  scenes
    .filter(({ check }) => !without.includes(check))
    .flatMap(({ callbacks, check }) =>
      callbacks.flatMap(({ callback, attempts }) =>
        attempts.map((attempt) => ({ callback, attempt, check })),
      ),
    )

/** What should be refused, whatever the receiver. */
const FORGED = ['tampered', 'wrong-secret', 'stale', 'unsigned', 'malformed-signature']

const believable: Judged = {
  judge(scenes) {
    const attempts = attemptsOf(scenes, ['RCV-25', 'RCV-26', 'RCV-27'])
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
}

const inTime: Judged = {
  judge(scenes, profile) {
    const within = withinOf(profile)
    const attempts = attemptsOf(scenes, ['RCV-22', 'RCV-26', 'RCV-23', 'RCV-11', 'RCV-27', 'RCV-28']).filter(
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
}

export const DEFAULT_WITHIN = 5_000
const withinOf = (profile: Profile | undefined) => profile?.receiver.within ?? DEFAULT_WITHIN

const fifty: Made = {
  time: 'frozen',
  async make(stage) {
    const within = withinOf(stage.profile)
    const paid = await untold(stage)
    stage.did('Fifty callbacks leave at one moment.')
    const { exchanges } = await stage.send(paid, 'one of fifty', { copies: 50 })
    const late = exchanges.filter(({ duration_ms, answer }) => duration_ms > within || answer === null)
    const fell = exchanges.filter(({ answer }) => (answer?.status ?? 0) >= 500)
    const slowest = Math.max(...exchanges.map(({ duration_ms }) => duration_ms))
    const seen = `Of ${exchanges.length} callbacks at one moment the slowest was answered after ${slowest} ms.`
    if (late.length > 0)
      return fail(`${seen} ${late.length} were late, above ${within} ms, or not answered.`, ...late)
    if (fell.length > 0) return fail(`${seen} ${fell.length} were answered 500 or above.`, ...fell)
    return pass(seen, ...exchanges.slice(0, 2))
  },
}

const lostAnswer: Made = {
  time: 'frozen',
  needs: ['trigger', 'probe', 'counts'],
  async make(stage) {
    const paid = await untold(stage)
    await stage.world.configure({ retry_profile: 'sandbox' })
    stage.did('The connection is cut once the callback was sent; it is sent again.')
    const sent = await stage
      .send(paid, 'cut', { fault: 'lost-response' })
      .finally(() => stage.world.configure({ retry_profile: 'none' }))
    const finding = await once(stage, paid, [sent])
    // The retry was taken, and yet nothing came of it.
    return finding.verdict === 'inconclusive' && isTaken(sent) ? { ...finding, verdict: 'fail' } : finding
  },
}

const otherJson: Made = {
  time: 'frozen',
  async make(stage) {
    const paid = await untold(stage)
    return allTaken(stage, paid, {
      'with more fields than described': {
        set: { risk_score: 12, settled_by: { name: 'Zoë 漢字 🎉', steps: [] } },
      },
      'as JSON that is written otherwise': { fault: 'reformatted' },
    })
  },
}

const otherMethods: Made = {
  time: 'frozen',
  async make(stage) {
    const paid = await untold(stage)
    const ways = {
      'by PUT': { method: 'PUT' },
      'by DELETE': { method: 'DELETE' },
      'as text/plain': { content_type: 'text/plain' },
    } as const
    const sent = []
    for (const [label, wanted] of Object.entries(ways)) {
      stage.did(`The callback is sent ${label}.`)
      sent.push({ label, ...(await stage.send(paid, label, wanted)) })
    }
    const twin = await stage.send(paid, 'twin')
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
}

const MEGABYTE = 1_048_576

const huge: Made = {
  time: 'frozen',
  async make(stage) {
    const paid = await untold(stage)
    stage.did('A callback is sent that is a megabyte long.')
    const sent = await stage.send(paid, 'a megabyte', { padding: MEGABYTE })
    const seen = `The receiver ${answerText(sent)}.`
    const exchange = {
      ...sent.exchange,
      request: { ...sent.exchange.request, body: sent.exchange.request.body.trimEnd() },
    }
    return sent.status === 413 || isTaken(sent) ? pass(seen, exchange) : fail(seen, exchange)
  },
}

/** What stacks, paths of files and the like look like in the languages that shops are written in. */
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

const discreet: Made = {
  time: 'frozen',
  async make(stage) {
    const paid = await untold(stage)
    const malformed = await stage.send(paid, 'half a signature', { fault: 'malformed-signature' })
    const { url } = malformed.exchange
    stage.did('The receiver is sent broken JSON, rightly signed, and nothing at all.')
    const broken = await stage.direct(
      'broken JSON',
      { method: 'POST', body: '{"status":', headers: signedBy(stage, '{"status":') },
      url,
    )
    const empty = await stage.direct('no body', { method: 'POST', headers: signedBy(stage, '') }, url)
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
      TELLING.filter(([, pattern]) => pattern.test(text) || text.includes(stage.secret)).map(([what]) => ({
        said: `${what} to ${label}`,
        exchange,
      })),
    )
    const silent = answers.find(({ exchange }) => exchange.answer === null)
    if (silent) {
      const seen = `To ${silent.label} the receiver gave no answer (${silent.exchange.error}).`
      return silent === answers[0] ? unsure(seen, silent.exchange) : fail(`${seen} It fell over.`, silent.exchange)
    }
    if (told.length === 0)
      return pass('Nothing of the shop was told.', ...answers.map(({ exchange }) => exchange))
    return fail(
      `The receiver told ${[...new Set(told.map(({ said }) => said))].join(', ')}.`,
      ...told.map(({ exchange }) => exchange),
    )
  },
}

/** By the profile `standard`; a receiver of another takes it for unsigned. */
function signedBy({ secret }: Stage, body: string): Record<string, string> {
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

const storedFirst: Made = {
  time: 'alone',
  needs: ['trigger', 'probe', 'restart'],
  async make(stage) {
    const paid = await untold(stage)
    stage.did('The callback is sent, and the shop restarted right after its answer.')
    const sent = await stage.send(paid, 'good')
    if (!isTaken(sent)) return unsure(`The receiver ${answerText(sent)} to a good callback.`, sent.exchange)
    await stage.act(stage.profile.restart!, 'restart')
    await stage.awake(paid)
    const standing = await stage.believes(paid, isPaidOnce)
    const seen = `After the restart the order is ${standingText(standing)}.`
    return isPaidOnce(standing) ? pass(seen, sent.exchange) : fail(seen, sent.exchange)
  },
}

export const receiverManners = {
  'RCV-20': believable,
  'RCV-21': inTime,
  'RCV-22': fifty,
  'RCV-23': lostAnswer,
  'RCV-24': otherJson,
  'RCV-25': otherMethods,
  'RCV-26': huge,
  'RCV-27': discreet,
  'RCV-28': storedFirst,
} as const
