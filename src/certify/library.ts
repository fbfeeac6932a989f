import type { WorldClient } from '../client/types.ts'
import type { Certification, ReportName } from './certification.ts'
import type { CertifyOptions } from './profile.ts'

export type { Certification, CheckResult, Exchange, ReportName, Summary, Verdict } from './certification.ts'
export type { CheckId } from './check-ids.ts'
export type { Belief, CertifyOptions, Feature, GivenHere, ProfileFile, Progress, State } from './profile.ts'

/**
 * Certifies a shop: triggers payments and callbacks, and returns the verdict of each check. With `receivers`, the shop and the
 * sandbox run in this process without a port.
 * @throws {ProfileError} With all errors of the profile.
 * @example
 * ```ts
 * import { certify } from 'payments-sandbox/certify'
 *
 * const certification = await certify({
 *   only: ['RCV-1'],
 *   receivers: { 'https://shop.test': () => new Response(null, { status: 204 }) },
 *   profile: { profile: 'shop', receiver: { url: 'https://shop.test/callback' } },
 * })
 * certification.checks.map(({ verdict }) => verdict) // => ['pass']
 * ```
 */
export async function certify({ profile, plan, ...options }: CertifyOptions): Promise<Certification> {
  const [{ certifyProfile, profileOfOptions }, { createSandbox }, { planOf }] = await Promise.all([
    import('./certify.ts'),
    import('../index.ts'),
    import('./plans.ts'),
  ])
  const planned = plan === undefined ? undefined : await planOf(plan)
  return certifyProfile(profileOfOptions(profile), { ...options, plan: planned, createSandbox })
}

/**
 * Certifies a shop by the request log of a world after any test run.
 * @param subject - The name of the shop; the world's id if omitted.
 * @example
 * ```ts
 * import { certifyWorld } from 'payments-sandbox/certify'
 *
 * const { checks } = await certifyWorld(world, 'shop')
 * checks.find(({ id }) => id === 'CLI-1')?.verdict // => 'pass'
 * ```
 */
export async function certifyWorld(world: WorldClient, subject?: string): Promise<Certification> {
  return (await import('./certify.ts')).certifyRecord(world, subject)
}

/**
 * Renders a certification as a report: `html`, `junit`, `ctrf`, `markdown`, `csv`, `badge` or `json`.
 * @example
 * ```ts
 * import { certifyWorld, reportOf } from 'payments-sandbox/certify'
 *
 * const page = await reportOf(await certifyWorld(world), 'csv')
 * page.includes('RCV-1') // => true
 * ```
 */
export async function reportOf(certification: Certification, form: ReportName): Promise<string> {
  const { reports } = await import('./reports/reports.ts')
  return reports[form].write(certification)
}
