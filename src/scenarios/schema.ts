/** The scenario file. What a word means is said in its description, which editors show. */
import * as z from 'zod'
import { callbackFaults, retryProfiles } from '../terms.ts'
import { errorStatus } from '../domain/errors.ts'
import { reasonNames } from '../reasons.ts'
import { FASTEST_PACE, SLOWEST_PACE } from '../duration.ts'
import { callbackWords } from './callback-words.ts'
import { operationNames } from './operations.ts'
import { afterLastWords } from './scenario.ts'
import { answerFaults } from '../terms.ts'
import { delay, duration, number, numberWithin, oneOf, text, unknown, whole, words, yes } from './words.ts'

/** What every operation's request is boiled down to. */
export const factNames = [
  'direction',
  'rail',
  'party',
  'amount',
  'currency',
  'country',
  'provider',
  'account_id',
  'channel_id',
  'reference',
] as const

/** How many conditions there may be at once, in a file as in a question about the record. */
export const MOST_CONDITIONS = 50

/** Parts of a request whose fields can be asked for by path. */
export const parts = ['body', 'query', 'path', 'headers'] as const

const bare = z.union([z.string(), z.number(), z.boolean()])
const listOrOne = <Item extends z.ZodType>(item: Item, error: string) =>
  z.union([item, z.array(item).min(1, { error: 'must name at least one' })], { error })

const notBare = 'must be a value, a list of values, or a map such as { startsWith: "2547" }'
const plainTests = {
  startsWith: text().optional().describe('The text begins so.'),
  endsWith: text().optional().describe('The text ends so.'),
  matches: text().optional().describe('A regular expression of RE2 that fits somewhere in the text.'),
  lt: number().optional().describe('Less than.'),
  lte: number().optional().describe('At most.'),
  gt: number().optional().describe('More than.'),
  gte: number().optional().describe('At least.'),
  exists: z
    .boolean({ error: 'must be true or false' })
    .optional()
    .describe('The request has it, or has it not.'),
  magic: z
    .string({ error: 'must be text in quotes' })
    .regex(/^\d{3}$/, { error: 'must be three digits in quotes, such as "002"' })
    .optional()
    .describe('For `party`: the magic number with this ending, in any country served.'),
}
const tests = words({
  ...plainTests,
  not: z
    .union([bare, z.array(bare), words(plainTests)], { error: notBare })
    .optional()
    .describe('The opposite.'),
})
/** What is asked of one field of a request. */
export const predicate = z.union([bare, z.array(bare).min(1, { error: 'must name at least one' }), tests], {
  error: notBare,
})

const when = z
  .object(
    {
      operation: listOrOne(
        oneOf('an operation', operationNames),
        'must be the name of an operation, or a list of them',
      )
        .optional()
        .describe('The operations it can happen in.'),
      direction: listOrOne(oneOf('a direction', ['payin', 'payout']), 'must be payin or payout')
        .optional()
        .describe('Money in or money out.'),
      rail: predicate.optional().describe('`momo`, `bank` or `card`.'),
      party: predicate
        .optional()
        .describe('The phone or account that pays or is paid, digits with the dial code.'),
      amount: predicate.optional().describe('As it is sent.'),
      currency: predicate.optional(),
      country: predicate.optional(),
      provider: predicate.optional(),
      account_id: predicate.optional().describe('The Team.'),
      channel_id: predicate.optional(),
      reference: predicate.optional().describe("The caller's own reference."),
    },
    { error: 'must be a map of what a request must be like' },
  )
  .catchall(predicate)
  .superRefine((value, context) => {
    const { length } = Object.keys(value)
    if (length > MOST_CONDITIONS) {
      const message = `must have at most ${MOST_CONDITIONS} conditions, has ${length}`
      return context.addIssue({ code: 'custom', message })
    }
    for (const key of Object.keys(value))
      if (key !== 'operation' && !isField(key))
        context.addIssue({
          code: 'custom',
          path: [key],
          params: { onKey: true },
          message: `${unknown(key, 'a fact', ['operation', ...factNames])}; or a path that begins with ${parts.map((part) => `${part}.`).join(', ')}`,
        })
  })

const isField = (key: string) =>
  (factNames as readonly string[]).includes(key) || /^(body|query|path|headers)\.\S+$/.test(key)

const settle = words({
  after: duration().optional().describe('How long after its acceptance.'),
  afterPolls: whole(1, 1_000).optional().describe('At this status look-up, counted from 1.'),
  never: yes().optional().describe('It stays queued.'),
  status: oneOf('a final status', ['success', 'failed']).optional(),
  reason: oneOf('a reason', reasonNames).optional().describe('Why it fails.'),
})

const callbackMap = words({
  after: duration().optional().describe('How long after the final state.'),
  times: whole(1, 100).optional().describe('How often the same callback is sent.'),
  first: yes().optional().describe('It arrives before the answer to the request leaves.'),
  drop: yes().optional().describe('It is never sent.'),
  outOfOrder: yes().optional().describe('Those of successive results arrive newest first.'),
  shape: oneOf('a shape', ['flat', 'nested']).optional(),
  fault: oneOf('a fault of callbacks', callbackFaults).optional(),
  retry: words({
    profile: oneOf('a retry profile', retryProfiles).optional(),
    speed: numberWithin(SLOWEST_PACE, FASTEST_PACE).optional().describe('Divides every pause.'),
  })
    .optional()
    .describe('How it is sent again when the receiver fails.'),
})
const callback = z.union([oneOf('a word for callbacks', callbackWords), callbackMap], {
  error: 'must be a word such as duplicate, or a map such as { times: 2 }',
})

export const thenSchema = words({
  respond: words({
    status: whole(100, 599).optional().describe('HTTP status; left out, that of `error_code`.'),
    body: z.unknown().optional().describe('The whole body.'),
    error_code: oneOf('an error code', Object.keys(errorStatus) as (keyof typeof errorStatus)[]).optional(),
    error_message: text().optional(),
  })
    .optional()
    .describe('This answer instead of the real one; nothing else happens.'),
  delay: delay().optional().describe('The answer is held back so long after it is made; an hour at most.'),
  fault: oneOf('a fault', answerFaults).optional().describe('What is wrong with the answer.'),
  settle: settle.optional().describe('How the transaction ends.'),
  later: z
    .array(words({ after: duration(), status: oneOf('a later status', ['success', 'reversed']) }), {
      error: 'must be a list such as [{ after: 10m, status: reversed }]',
    })
    .optional()
    .describe('What happens after it has ended, each counted from there.'),
  review: z
    .union(
      [
        z.literal('never'),
        z
          .array(
            words({
              status: oneOf('a state of a review', ['in_review', 'approved', 'rejected']),
              after: duration().describe('How long after the submission.'),
              reasons: z.array(text(), { error: 'must be a list of texts' }).optional(),
            }),
          )
          .min(1, { error: 'must have at least one state, or be never' }),
      ],
      { error: 'must be never, or a list such as [{ status: approved, after: 5s }]' },
    )
    .optional()
    .describe('How a KYC submission is reviewed.'),
  channel: words({
    deactivate: yes().describe('The channel of the request is closed, before the request is looked at.'),
    reactivateAfter: duration().optional(),
  }).optional(),
  callback: callback.optional().describe('When and how the result is told.'),
})
export type ThenFile = z.infer<typeof thenSchema>

const expectation = words({
  request: z
    .union(
      [
        oneOf('an operation', operationNames),
        words({
          operation: oneOf('an operation', operationNames),
          body: z
            .record(z.string(), z.unknown())
            .optional()
            .describe('Laid over a request that is accepted.'),
          headers: z.record(z.string(), z.string()).optional(),
        }),
      ],
      { error: 'must be an operation, or a map with operation, body, headers' },
    )
    .describe('The request that shows it.'),
  after: duration().optional().describe('Time that passes before it.'),
  times: whole(1, 1_000).optional().describe('How often it is made.'),
  for: duration().optional().describe('How long one looks on; until nothing is owed when left out.'),
  polls: whole(0, 1_000).optional().describe('Status look-ups made.'),
  answer: z
    .union(
      [
        whole(100, 599),
        z.literal('cut'),
        words({ status: whole(100, 599).optional(), body: z.unknown().optional() }),
      ],
      { error: 'must be a status, cut, or a map with status and body' },
    )
    .optional(),
  delay: duration().optional().describe('How long the answer is held back at least.'),
  status: oneOf('a status', ['queued', 'success', 'failed', 'reversed'])
    .optional()
    .describe('What the status look-up says in the end.'),
  statuses: z
    .partialRecord(z.enum(['queued', 'success', 'failed', 'reversed']), z.int())
    .optional()
    .describe('How many of the requests ended so.'),
  reason: oneOf('a reason', reasonNames).optional(),
  callbacks: z
    .array(z.union([z.string(), z.record(z.string(), z.unknown())]), { error: 'must be a list' })
    .optional()
    .describe('The callbacks that arrive, in order: the status of each, or a part of its body.'),
  callbackFirst: yes().optional().describe('The callback arrives before the answer.'),
  kyc: z
    .array(z.string(), { error: 'must be a list' })
    .optional()
    .describe('The states of the review, in order.'),
  ledger: z
    .partialRecord(z.enum(['wallet', 'service_wallet', 'savings', 'in_transit']), z.number())
    .optional()
    .describe('What each pot of the Team gains.'),
})

export const fileSchema = words({
  title: text().describe('What happens, in a sentence.'),
  summary: text().optional().describe('What an integrator sees, and what it is good for.'),
  when: when.optional().describe('Which requests it happens to; left out, only those that name it.'),
  then: thenSchema.optional().describe('What happens.'),
  steps: z
    .array(words({ times: whole(1, 100_000).optional(), then: thenSchema }), { error: 'must be a list' })
    .min(1, { error: 'must have at least one step' })
    .optional()
    .describe('What happens to the first requests of a world, one after another.'),
  afterLast: oneOf('one of them', afterLastWords)
    .optional()
    .describe('After the last step: from the first again, the last again, or nothing special.'),
  choices: z
    .array(words({ weight: number().positive({ error: 'must be more than 0' }), then: thenSchema }), {
      error: 'must be a list',
    })
    .min(2, { error: 'must have at least two choices' })
    .optional()
    .describe("What happens by chance, drawn from the world's seed."),
  expect: z
    .union([expectation, z.array(expectation).min(1)], { error: 'must be a map, or a list of maps' })
    .optional()
    .describe(
      'What the file promises of requests in fresh worlds; with `steps` they follow one another in one world.',
    ),
})
export type ScenarioFile = z.infer<typeof fileSchema>
export type ExpectationFile = z.infer<typeof expectation>

/** The JSON Schema of a scenario file, for editors. */
export function scenarioJsonSchema(): object {
  const schema = z.toJSONSchema(fileSchema, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === (when as unknown)) {
        const field = jsonSchema.additionalProperties ?? {}
        jsonSchema.patternProperties = { '^(body|query|path|headers)\\.': field }
        jsonSchema.additionalProperties = false
      }
    },
  })
  return { title: 'A scenario of payments-sandbox', ...schema }
}
