import type { WorldClient } from '../client/types.ts'
import { systemWall } from '../lib/clock/clock.ts'
import { redacted } from '../lib/log/redact.ts'
import type { Certification } from './certification.ts'
import { type CheckId, checkIds, groupOf, groups } from './check-ids.ts'
import { type CreateSandbox, openEnvironment, versionOf } from './environment.ts'
import { judgeRecord } from './judge-record.ts'
import type { CertifyOptions } from './options.ts'
import { ProfileError, unknownCheck } from './read-profile.ts'
import type { Profile } from './profile.ts'
import { run } from './run.ts'
import { START, readRecord } from './world-record.ts'

export { profileOfOptions, readProfile, ProfileError } from './read-profile.ts'

/** Options of a run, without the profile. */
export type RunWith = Omit<CertifyOptions, 'profile'> & { readonly createSandbox: CreateSandbox }

/** Certifies a shop. @throws {ProfileError} For an unknown check. */
export async function certifyProfile(profile: Profile, options: RunWith): Promise<Certification> {
  const { createSandbox, receivers, only, tell = () => {}, say = () => {}, signal, wait } = options
  const ids = checksNamed(only)
  const environment = await openEnvironment(profile, { createSandbox, receivers, say, signal, wait })
  try {
    const found = await run({ profile, environment, receivers, only: ids, tell, say })
    environment.requireLease()
    return withoutSecrets(found, secretsOf(profile, environment.secret))
  } finally {
    await environment.close()
  }
}

const secretsOf = ({ variables, receiver, user }: Profile, secret: string): readonly string[] => [
  secret,
  ...(receiver.secret === undefined ? [] : [receiver.secret]),
  ...Object.values(variables),
  Buffer.from(`${user.username}:${user.password}`).toString('base64'),
]

/** @param named - Ids and groups; all checks by default. @throws {ProfileError} With the closest id for each unknown one. */
function checksNamed(named: readonly string[] | undefined): readonly CheckId[] {
  if (named === undefined || named.length === 0) return checkIds
  const wanted = named.map((each) => each.toUpperCase())
  const unknown = wanted.filter(
    (each) => !Object.hasOwn(groups, each) && !(checkIds as readonly string[]).includes(each),
  )
  if (unknown.length > 0) throw new ProfileError(unknown.map(unknownCheck), [], 0)
  return checkIds.filter((id) => wanted.includes(id) || wanted.includes(groupOf(id)))
}

/** Certifies a shop by the request log of a world, without a trigger or a probe. */
export async function certifyRecord(world: WorldClient, subject?: string): Promise<Certification> {
  const began = systemWall()
  const [{ id }, clock, whole, { record: known }] = await Promise.all([
    world.show(),
    world.clock.show(),
    readRecord(world, START, { check: null, real: true }),
    world.certification(),
  ])
  const { results, record, summary } = await judgeRecord(whole, known.initial_ids, clock.frozen)
  const ended = systemWall()
  return {
    certification: 1,
    subject: subject ?? id,
    mode: 'passive',
    sandbox: { version: await versionOf(world), url: world.url, world: id },
    started_at: new Date(began).toISOString(),
    ended_at: new Date(ended).toISOString(),
    duration_ms: ended - began,
    features: [],
    probe: null,
    record,
    summary,
    checks: results,
  }
}

/** Replaces all known secrets in the texts of a certification. */
function withoutSecrets(certification: Certification, secrets: readonly string[]): Certification {
  const known = secrets.filter((each) => each.length >= 6)
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string')
      return known.reduce((text, secret) => text.replaceAll(secret, redacted), value)
    if (Array.isArray(value)) return value.map(clean)
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, clean(each)]))
    return value
  }
  return clean(certification) as Certification
}
