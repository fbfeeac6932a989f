import type { WorldClient } from '../client/types.ts'
import type { Certification } from './certification.ts'
import type { CertifyOptions, ReportName } from './options.ts'

export type { Certification, CheckResult, Summary, Verdict } from './certification.ts'
export type { CheckId } from './check-ids.ts'
export type { Exchange } from './evidence.ts'
export type { CertifyOptions, ProfileFile, Progress, ReportName } from './options.ts'
export type { Belief, Feature, GivenHere, State } from './profile.ts'

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
export async function certify({ profile, ...options }: CertifyOptions): Promise<Certification> {
  const [{ certifyProfile, profileOfOptions }, { createSandbox }] = await Promise.all([
    import('./certify.ts'),
    import('../index.ts'),
  ])
  return certifyProfile(profileOfOptions(profile), { ...options, createSandbox })
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
