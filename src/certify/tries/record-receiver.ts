/** What a receiver answered, judged from the record alone. */
import { ofAttempt } from '../exchange.ts'
import type { Scene } from '../scene.ts'
import { fail, isTaken, type RecordCheck, notSeen, pass } from './try.ts'

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

const believable: RecordCheck = {
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

/** How soon an answer has to come where no profile says, milliseconds. */
const DEFAULT_WITHIN = 5_000

const inTime: RecordCheck = {
  judge(scenes, profile) {
    const within = profile?.receiver.within ?? DEFAULT_WITHIN
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

export const recordReceiver = { 'RCV-20': believable, 'RCV-21': inTime } as const
