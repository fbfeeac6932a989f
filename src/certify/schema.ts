/** The schema of a certification. `npm run generate` derives its types and `certify/certification.schema.json`. */
import * as z from 'zod'
import { lazy } from '../lib/lazy.ts'
import { standings, verdicts } from './certification.ts'
import { checkIds, groups } from './check-ids.ts'

const time = () => z.iso.datetime()
const amounts = () => z.strictObject({ requests: z.int(), transactions: z.int(), callbacks: z.int() })
const header = () => z.strictObject({ name: z.string(), value: z.string() })
const met = () => z.strictObject({ met: z.array(z.string()), missing: z.array(z.string()) })
const hash = () => z.string().regex(/^sha256:[0-9a-f]{64}$/)

export const certificationSchema = lazy(() => {
  const counted = Object.fromEntries(verdicts.map((verdict) => [verdict, z.int()]))
  const counts = z.strictObject(counted as Record<(typeof verdicts)[number], z.ZodInt>)
  const exchange = z
    .strictObject({
      kind: z
        .enum(['callback', 'request', 'trigger', 'probe', 'direct'])
        .describe(
          '`callback`: from the sandbox to the shop; `request`: from the shop to the sandbox; all others: from certify to the shop.',
        ),
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
    .describe('A request and its response.')
  const check = z.strictObject({
    id: z.enum(checkIds),
    group: z.enum(Object.keys(groups) as (keyof typeof groups)[]),
    title: z.string().describe('The behaviour of a shop that passes.'),
    version: z.int().min(1).describe('Raised when the meaning of the check changes.'),
    level: z.enum(['mandatory', 'recommended']),
    mode: z.enum(['passive', 'active']).describe('Judged from the request log, or triggered by certify.'),
    probe: z.boolean().describe('Whether it needs the probe, whose answers the shop only claims.'),
    tried: z.string(),
    expected: z.string(),
    impact: z.string().describe('The consequence of a failure in production.'),
    fix: z.string(),
    docs: z.string().describe('A page of the guides.'),
    verdict: z.enum(verdicts),
    observed: z.string().describe('The observation, or the reason for its absence.'),
    waiver: z
      .strictObject({
        until: z.iso.date().describe('The last day, such as `2026-12-31`.'),
        by: z.string().describe('The person who accepts the risk.'),
        ticket: z.string(),
        because: z.string(),
      })
      .nullable()
      .describe('Accepts its failure up to that day.'),
    because: z.enum(checkIds).nullable().describe('The failed check that also explains this failure.'),
    steps: z.array(z.string()).describe('The steps in order, to repeat them by hand.'),
    exchanges: z.array(exchange).describe('The decisive ones first.'),
    timeline: z.array(
      z.strictObject({
        at: time(),
        world_at: time().nullable().describe("The time on the world's clock."),
        who: z.enum(['certify', 'shop', 'sandbox']),
        what: z.string(),
      }),
    ),
    duration_ms: z.number(),
  })
  return z.strictObject({
    certification: z.literal(1).describe('The version of this format.'),
    subject: z.string().describe('The name of the shop in its profile.'),
    shop_version: z.string().nullable().describe('The version of the shop, as its profile states it.'),
    mode: z
      .enum(['active', 'passive'])
      .describe(
        'Whether certify triggered payments and callbacks, or judged only the request log of a world.',
      ),
    sandbox: z.strictObject({ version: z.string(), url: z.string(), world: z.string().nullable() }),
    plan: z
      .strictObject({
        name: z.string(),
        title: z.string(),
        hash: hash(),
        waivers: z.boolean(),
        checks: z.int(),
      })
      .nullable()
      .describe('The plan that selected the checks and their levels.'),
    profile_hash: hash().nullable().describe('The SHA-256 of the profile as canonical JSON.'),
    witness: z
      .strictObject({
        run: z.int().describe('The run of this sandbox.'),
        claimed: z.array(z.enum(checkIds)).describe('Checks that also depend on answers of the probe.'),
      })
      .nullable()
      .describe('The sandbox itself ran the checks; null if a program elsewhere did.'),
    started_at: time(),
    ended_at: time(),
    expires_at: time().nullable().describe('When the certification ends; null if no plan limits it.'),
    duration_ms: z.number(),
    features: z.array(z.string()),
    protection: z
      .array(z.string())
      .optional()
      .describe('How the receiver is protected in addition to signatures.'),
    probe: z
      .strictObject({
        usable: z.boolean(),
        counts: z.boolean().describe('Whether the probe counts deliveries, which reveals duplicates.'),
        because: z.string(),
      })
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
    coverage: z
      .strictObject({ operations: met(), statuses: met(), reasons: met(), errors: met() })
      .describe('The parts of the service that the shop met, and those that it did not.'),
    summary: z.strictObject({
      standing: z.enum(standings).describe('`ready` only if every mandatory check that applies passed.'),
      ready: z.boolean().describe('Whether the standing is `ready`.'),
      waived: z.int().describe('The number of waived mandatory checks.'),
      text: z.string(),
      score: z
        .number()
        .min(0)
        .max(100)
        .nullable()
        .describe('The passed share of the decided checks, with mandatory checks weighted by three.'),
      mandatory: counts,
      recommended: counts,
      fix_first: z.enum(checkIds).nullable().describe('The check to fix first.'),
    }),
    checks: z.array(check),
  })
})

export const certificationJsonSchema = (): object => ({
  title: 'A certification of payments-sandbox',
  ...z.toJSONSchema(certificationSchema(), { io: 'input' }),
})
