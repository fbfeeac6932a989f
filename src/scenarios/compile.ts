/** A checked scenario file as what decides. */
import { errorStatus, type ErrorCode } from '../domain/errors.ts'
import type { CallbackPlan } from '../terms.ts'
import { callbackPlanOf } from './callback-words.ts'
import { conditionsOf } from './conditions.ts'
import { channelOperations, kycOperations, moneyOperations, operationNames } from './operations.ts'
import type { ExpectationFile, ScenarioFile, ThenFile } from './schema.ts'
import type { Expectation, Scenario, Script } from './scenario.ts'
import type { Outcome } from '../terms.ts'
import { milliseconds } from './words.ts'

/**
 * @param file checked by schema and meaning
 * @param shipped whether it came with the sandbox
 */
export function compileScenario(name: string, source: string, file: ScenarioFile, shipped = false): Scenario {
  const { when } = file
  const conditions = when === undefined ? null : conditionsOf(when)
  const expected = file.expect === undefined ? [] : [file.expect].flat()
  return {
    name,
    title: file.title,
    summary: file.summary?.trim() ?? '',
    source,
    shipped,
    operations: new Set(operationsOf(file)),
    conditions,
    specificity: (conditions?.length ?? 0) + (when?.operation === undefined ? 0 : 1),
    magic: magicOf(when),
    script: scriptOf(file),
    expect: expected.map(expectationOf),
  }
}

/** The operations a file names, or those that all of its words fit. */
export function operationsOf(file: ScenarioFile): readonly string[] {
  const named = file.when?.operation
  return named === undefined ? fittingOperations(thensOf(file)) : [...new Set([named].flat())]
}

/** Every `then` of a file. */
export const thensOf = (file: ScenarioFile): readonly ThenFile[] => [
  ...(file.then ? [file.then] : []),
  ...(file.steps ?? []).map((step) => step.then),
  ...(file.choices ?? []).map((choice) => choice.then),
]

/** The words of `then` that only some operations know. */
export const narrowWords: { readonly [word in keyof ThenFile]?: readonly string[] } = {
  settle: moneyOperations,
  later: moneyOperations,
  callback: moneyOperations,
  review: kycOperations,
  channel: channelOperations,
}

function fittingOperations(thens: readonly ThenFile[]): readonly string[] {
  const used = new Set(thens.flatMap((then) => Object.keys(then) as (keyof ThenFile)[]))
  return operationNames.filter((operation) =>
    [...used].every((word) => narrowWords[word]?.includes(operation) ?? true),
  )
}

function magicOf(when: ScenarioFile['when']): string | null {
  const party = when?.party
  return typeof party === 'object' && !Array.isArray(party) ? (party.magic ?? null) : null
}

function scriptOf(file: ScenarioFile): Script {
  if (file.steps)
    return {
      kind: 'steps',
      steps: file.steps.map(({ times = 1, then }) => ({ times, outcome: outcomeOf(then) })),
      after_last: file.afterLast ?? 'none',
    }
  if (file.choices)
    return {
      kind: 'choices',
      choices: file.choices.map(({ weight, then }) => ({ weight, outcome: outcomeOf(then) })),
    }
  return { kind: 'then', outcome: outcomeOf(file.then ?? {}) }
}

const optional = (written: string | number | undefined) =>
  written === undefined ? undefined : milliseconds(written)

/** What a `then` says, its durations in milliseconds. */
export function outcomeOf(then: ThenFile): Outcome {
  const { settle, later, callback, review, channel } = then
  const planned = settle ?? later ?? callback
  return {
    respond: respondOf(then),
    delay: optional(then.delay),
    fault: then.fault,
    plan: planned && {
      settle: settle && {
        status: settle.status,
        reason: settle.reason,
        after: optional(settle.after),
        after_polls: settle.afterPolls,
        never: settle.never,
      },
      later: later?.map(({ after, status }) => ({ after: milliseconds(after), status })),
      callback: callback && callbackOf(callback),
    },
    review:
      review === 'never'
        ? []
        : review?.map(({ status, after, reasons = [] }) => ({ status, after: milliseconds(after), reasons })),
    channel: channel && { reactivate_after: optional(channel.reactivateAfter) },
  }
}

function callbackOf(callback: NonNullable<ThenFile['callback']>): CallbackPlan {
  if (typeof callback === 'string') return callbackPlanOf(callback)
  const { after, outOfOrder, ...rest } = callback
  return { ...rest, after: optional(after), out_of_order: outOfOrder }
}

/** A whole body, or the service's error body with what is left out filled in. */
export function respondOf({ respond }: ThenFile): Outcome['respond'] {
  if (!respond) return undefined
  const { body, error_code, error_message } = respond
  const status = respond.status ?? (error_code ? errorStatus[error_code] : 400)
  if (body !== undefined) return { status, body }
  const code = error_code ?? codeOf(status)
  return {
    status,
    body: {
      error_code: code,
      error_message: error_message ?? `a scenario answers ${status}`,
      status_code: status,
    },
  }
}

/** The error code of a status; an unknown one is told as a fault of the service. */
export const codeOf = (status: number): ErrorCode =>
  (Object.keys(errorStatus) as ErrorCode[]).find((code) => errorStatus[code] === status) ?? 'internal'

function expectationOf(expect: ExpectationFile): Expectation {
  const { request, answer } = expect
  const asked = typeof request === 'string' ? { operation: request } : request
  return {
    request: { operation: asked.operation, body: asked.body ?? {}, headers: asked.headers ?? {} },
    after: optional(expect.after) ?? 0,
    times: expect.times ?? 1,
    for: optional(expect.for),
    polls: expect.polls ?? 0,
    answer:
      answer === undefined
        ? undefined
        : answer === 'cut'
          ? { status: undefined, body: undefined, cut: true }
          : typeof answer === 'number'
            ? { status: answer, body: undefined, cut: false }
            : { status: answer.status, body: answer.body, cut: false },
    delay: optional(expect.delay),
    status: expect.status,
    statuses: expect.statuses as Expectation['statuses'],
    reason: expect.reason,
    callbacks: expect.callbacks,
    callback_first: expect.callbackFirst ?? false,
    kyc: expect.kyc,
    ledger: expect.ledger,
  }
}
