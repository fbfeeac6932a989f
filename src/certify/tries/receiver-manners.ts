import { createHmac } from 'node:crypto'
import { systemWall } from '../../lib/clock/clock.ts'
import type { Stage } from '../stage.ts'
import { isPaidOnce, once } from './receiver-effects.ts'
import { standingText } from '../probe.ts'
import { allTaken, untold } from './receiver-signatures.ts'
import { answerText, fail, isTaken, type ActiveCheck, pass, unsure } from './try.ts'

const fifty: ActiveCheck = {
  time: 'alone',
  async make(stage) {
    const within = stage.profile.receiver.within
    const paid = await untold(stage)
    stage.notes.did('Fifty callbacks leave at one moment.')
    const { exchanges } = await stage.callbacks.send(paid, 'one of fifty', { copies: 50 })
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

const lostAnswer: ActiveCheck = {
  time: 'frozen',
  needs: ['trigger', 'probe', 'counts'],
  async make(stage) {
    const paid = await untold(stage)
    await stage.world.configure({ retry_profile: 'sandbox' })
    stage.notes.did('The connection is cut once the callback was sent; it is sent again.')
    const sent = await stage.callbacks
      .send(paid, 'cut', { fault: 'lost-response' })
      .finally(() => stage.world.configure({ retry_profile: 'none' }))
    const finding = await once(stage, paid, [sent])
    // The retry was taken, and yet nothing came of it.
    return finding.verdict === 'inconclusive' && isTaken(sent) ? { ...finding, verdict: 'fail' } : finding
  },
}

const otherJson: ActiveCheck = {
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

const otherMethods: ActiveCheck = {
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
      stage.notes.did(`The callback is sent ${label}.`)
      sent.push({ label, ...(await stage.callbacks.send(paid, label, wanted)) })
    }
    const twin = await stage.callbacks.send(paid, 'twin')
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

const huge: ActiveCheck = {
  time: 'frozen',
  async make(stage) {
    const paid = await untold(stage)
    stage.notes.did('A callback is sent that is a megabyte long.')
    const sent = await stage.callbacks.send(paid, 'a megabyte', { padding: MEGABYTE })
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

const discreet: ActiveCheck = {
  time: 'frozen',
  async make(stage) {
    const paid = await untold(stage)
    const malformed = await stage.callbacks.send(paid, 'half a signature', { fault: 'malformed-signature' })
    const { url } = malformed.exchange
    stage.notes.did('The receiver is sent broken JSON, rightly signed, and nothing at all.')
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

const storedFirst: ActiveCheck = {
  time: 'alone',
  needs: ['trigger', 'probe', 'restart'],
  async make(stage) {
    const paid = await untold(stage)
    stage.notes.did('The callback is sent, and the shop restarted right after its answer.')
    const sent = await stage.callbacks.send(paid, 'good')
    if (!isTaken(sent)) return unsure(`The receiver ${answerText(sent)} to a good callback.`, sent.exchange)
    await stage.act(stage.profile.restart!, 'restart')
    await stage.awake(paid)
    const standing = await stage.believes(paid, isPaidOnce)
    const seen = `After the restart the order is ${standingText(standing)}.`
    return isPaidOnce(standing) ? pass(seen, sent.exchange) : fail(seen, sent.exchange)
  },
}

export const receiverManners = {
  'RCV-22': fifty,
  'RCV-23': lostAnswer,
  'RCV-24': otherJson,
  'RCV-25': otherMethods,
  'RCV-26': huge,
  'RCV-27': discreet,
  'RCV-28': storedFirst,
} as const
