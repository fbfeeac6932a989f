/**
 * The schema of a certification. `Certification` cannot be inferred from it, since the package's declarations name no
 * other package.
 */
import * as z from 'zod'
import { checkIds, groups } from './check-ids.ts'
import { lazy } from '../lib/lazy.ts'
import { type Certification, standings, verdicts } from './certification.ts'

const oneOf = <const Word extends string>(known: readonly Word[]) => z.enum(known)
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
    waived: z.int(),
  })
  const exchange = z.strictObject({
    kind: oneOf(['callback', 'request', 'trigger', 'probe', 'direct']),
    label: z.string().describe('The purpose, such as `unsigned` or `twin`.'),
    at: time(),
    duration_ms: z.number(),
    method: z.string(),
    url: z.string(),
    request: z.strictObject({ headers: z.array(header()), body: z.string() }),
    response: z
      .strictObject({ status: z.int(), headers: z.array(header()), body: z.string() })
      .nullable()
      .describe('Null without a response.'),
    error: z.string().describe('The reason for a missing response; empty otherwise.'),
  })
  const check = z.strictObject({
    id: oneOf(checkIds),
    group: oneOf(Object.keys(groups) as (keyof typeof groups)[]),
    title: z.string().describe('The behaviour of a shop that passes.'),
    version: z.int().min(1).describe('Raised when the meaning of the check changes.'),
    level: oneOf(['mandatory', 'recommended']),
    mode: oneOf(['passive', 'active']).describe('Judged from the request log, or triggered by certify.'),
    probe: z.boolean().describe('Whether it needs the probe.'),
    tried: z.string(),
    expected: z.string(),
    impact: z.string().describe('The consequence of a failure in production.'),
    fix: z.string(),
    docs: z.string().describe('A page of the guides.'),
    verdict: oneOf(verdicts),
    observed: z.string().describe('The observation, or the reason for its absence.'),
    waiver: z
      .strictObject({ until: z.iso.date(), by: z.string(), ticket: z.string(), because: z.string() })
      .nullable()
      .describe('Accepts its failure up to that day.'),
    because: oneOf(checkIds).nullable().describe('The failed check that also explains this failure.'),
    steps: z.array(z.string()).describe('The steps in order.'),
    exchanges: z.array(exchange),
    timeline: z.array(
      z.strictObject({
        at: time(),
        world_at: time().nullable().describe("The time on the world's clock."),
        who: oneOf(['certify', 'shop', 'sandbox']),
        what: z.string(),
      }),
    ),
    duration_ms: z.number(),
  })
  return z.strictObject({
    certification: z.literal(1).describe('The version of this format.'),
    subject: z.string().describe('The name of the shop in its profile.'),
    mode: oneOf(['active', 'passive']),
    sandbox: z.strictObject({ version: z.string(), url: z.string(), world: z.string().nullable() }),
    started_at: time(),
    ended_at: time(),
    duration_ms: z.number(),
    features: z.array(z.string()),
    probe: z
      .strictObject({ usable: z.boolean(), counts: z.boolean(), because: z.string() })
      .nullable()
      .describe('The result of calibrating the probe; null without one.'),
    record: z
      .strictObject({
        evaluated: amounts(),
        excluded: amounts().describe('Entries that the shop did not cause.'),
        discarded: z.int().describe('Earlier requests that are no longer in the request log.'),
        initial_ids: z
          .strictObject({ transactions: z.int(), callbacks: z.int(), kyc: z.int(), invites: z.int() })
          .describe('The highest ids of imported rows.'),
      })
      .optional()
      .describe('The judged part of the request log, for passive certifications.'),
    summary: z.strictObject({
      standing: oneOf(standings).describe('`ready` only if every mandatory check that applies passed.'),
      ready: z.boolean().describe('Whether the standing is `ready`.'),
      waived: z.int().describe('The number of waived mandatory checks.'),
      text: z.string(),
      score: z.number().min(0).max(100).nullable(),
      mandatory: counts,
      recommended: counts,
      fix_first: oneOf(checkIds).nullable().describe('The check to fix first.'),
    }),
    checks: z.array(check),
  })
})

export const certificationJsonSchema = (): object => ({
  title: 'A certification of payments-sandbox',
  ...z.toJSONSchema(certificationSchema(), { io: 'input' }),
})
