/**
 * The schema of a certification. `Certification` cannot be inferred from it, since the package's declarations name no
 * other package.
 */
import * as z from 'zod'
import { checkIds, groups } from './check-ids.ts'
import { lazy } from '../lib/lazy.ts'
import { type Certification, verdicts } from './certification.ts'

const words = <const Word extends string>(known: readonly Word[]) => z.enum(known)
const time = () => z.iso.datetime()
const amounts = () => z.strictObject({ requests: z.int(), transactions: z.int(), callbacks: z.int() })
const header = () => z.strictObject({ name: z.string(), value: z.string() })

export const certificationSchema = lazy((): z.ZodType<Certification> => {
  const counts = z.strictObject({
    pass: z.int(),
    fail: z.int(),
    inconclusive: z.int(),
    not_seen: z.int(),
    not_applicable: z.int(),
    expected_fail: z.int(),
  })
  const exchange = z.strictObject({
    kind: words(['callback', 'request', 'trigger', 'probe', 'direct']),
    label: z.string().describe('What it is for, such as `unsigned` or `twin`.'),
    at: time(),
    duration_ms: z.number(),
    method: z.string(),
    url: z.string(),
    request: z.strictObject({ headers: z.array(header()), body: z.string() }),
    answer: z
      .strictObject({ status: z.int(), headers: z.array(header()), body: z.string() })
      .nullable()
      .describe('Null when none came.'),
    error: z.string().describe('Why none came; empty when one did.'),
  })
  const check = z.strictObject({
    id: words(checkIds),
    group: words(Object.keys(groups) as (keyof typeof groups)[]),
    title: z.string().describe('What a shop does that passes.'),
    level: words(['mandatory', 'recommended']),
    how: words(['record', 'made']).describe('Judged from what happened anyway, or made to happen.'),
    probe: z.boolean().describe('Whether it needs the probe.'),
    tried: z.string(),
    expected: z.string(),
    why: z.string().describe('What goes wrong in production without it.'),
    mend: z.string(),
    docs: z.string().describe('A page of the guides.'),
    verdict: words(verdicts),
    seen: z.string().describe('What was seen, or why nothing was.'),
    expectation: z.strictObject({ result: z.literal('fail'), because: z.string() }).nullable(),
    steps: z.array(z.string()).describe('What was done.'),
    exchanges: z.array(exchange),
    timeline: z.array(
      z.strictObject({
        at: time(),
        world_at: time().nullable().describe("The same on the world's clock."),
        who: words(['certify', 'shop', 'sandbox']),
        what: z.string(),
      }),
    ),
    curl: z.string().nullable().describe('A command that does it again.'),
    duration_ms: z.number(),
  })
  return z.strictObject({
    certification: z.literal(1).describe('The version of this form.'),
    subject: z.string().describe('The shop, as its profile calls it.'),
    mode: words(['active', 'passive']),
    sandbox: z.strictObject({ version: z.string(), url: z.string(), world: z.string().nullable() }),
    started_at: time(),
    ended_at: time(),
    duration_ms: z.number(),
    features: z.array(z.string()),
    probe: z
      .strictObject({ usable: z.boolean(), counts: z.boolean(), because: z.string() })
      .nullable()
      .describe('Whether the probe could be believed; null without one.'),
    record: z
      .strictObject({
        judged: amounts(),
        left_out: amounts().describe('What is not the doing of the shop.'),
        forgotten: z.int().describe('Requests that came before and are on record no more.'),
        given: z
          .strictObject({ transactions: z.int(), callbacks: z.int(), kyc: z.int(), invites: z.int() })
          .describe('The highest ids that the world was given, not made in it.'),
      })
      .optional()
      .describe('Of a passive one: what of the record was judged.'),
    summary: z.strictObject({
      ready: z.boolean(),
      text: z.string(),
      score: z.number().min(0).max(100).nullable(),
      mandatory: counts,
      recommended: counts,
      worst: words(checkIds).nullable().describe('What should be mended first.'),
      exit_code: z.int(),
    }),
    checks: z.array(check),
  })
})

export const certificationJsonSchema = (): object => ({
  title: 'A certification of payments-sandbox',
  ...z.toJSONSchema(certificationSchema(), { io: 'input' }),
})
