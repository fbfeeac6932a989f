import type { WorldClient } from '../client/types.ts'
import { systemWall } from '../lib/clock/clock.ts'
import { isObject } from '../lib/objects.ts'
import { redacted } from '../lib/log/redact.ts'
import type { Certification } from './certification.ts'
import { protectionSecrets } from '../service/vocabulary/receiver-protection.ts'
import { type CheckId, checkIds, groupOf, groups } from './check-ids.ts'
import { ProfileError } from './checked-file.ts'
import { type EnvironmentOptions, openEnvironment, versionOf } from './environment.ts'
import { judgeRecord, passive } from './judge-record.ts'
import { type CertificationPlan, requirePlanned } from './plans.ts'
import type { CertifyOptions } from './profile.ts'
import { type Profile, unknownCheck } from './read-profile.ts'
import { run, type RunOptions } from './run.ts'
import { START, readRecord } from './world-record.ts'

export { ProfileError } from './checked-file.ts'
export { profileOfOptions, readProfile } from './read-profile.ts'

export type RunWith = Omit<CertifyOptions, 'profile' | 'plan'> &
  Pick<EnvironmentOptions, 'createSandbox' | 'within'> &
  Pick<RunOptions, 'ask' | 'run'> & { readonly plan?: CertificationPlan | undefined }

/** Certifies a shop. @throws {ProfileError} For an unknown check, and a profile that contradicts the plan. */
export async function certifyProfile(profile: Profile, options: RunWith): Promise<Certification> {
  const { only, plan, tell = () => {}, say = () => {}, receivers, ask, run: number } = options
  if (plan) requirePlanned(profile, plan)
  const ids = checksNamed(only, plan ? [...plan.levels.keys()] : checkIds)
  const environment = await openEnvironment(profile, { ...options, say })
  try {
    const found = await run({ profile, environment, receivers, ask, only: ids, plan, run: number, tell, say })
    environment.requireLease()
    return withoutSecrets(found, [...secretsOf(profile), ...environment.secrets])
  } finally {
    await environment.close()
  }
}

const secretsOf = ({ variables, receiver, user }: Profile): readonly string[] => [
  ...(receiver.secret === undefined ? [] : [receiver.secret]),
  ...protectionSecrets(receiver.protection),
  ...Object.values(variables),
  Buffer.from(`${user.username}:${user.password}`).toString('base64'),
  ...(user.password === user.username ? [] : [user.password]),
]

/** @param named - Ids and groups; all checks by default. @throws {ProfileError} With the closest id for each unknown one. */
export function checksNamed(
  named: readonly string[] | undefined,
  all: readonly CheckId[],
): readonly CheckId[] {
  if (named === undefined || named.length === 0) return all
  const wanted = named.map((each) => each.toUpperCase())
  const unknown = wanted.filter(
    (each) => !Object.hasOwn(groups, each) && !(checkIds as readonly string[]).includes(each),
  )
  if (unknown.length > 0) throw new ProfileError(unknown.map(unknownCheck))
  return all.filter((id) => wanted.includes(id) || wanted.includes(groupOf(id)))
}

/** Certifies a shop by the request log of a world, without a trigger or a probe. */
export async function certifyRecord(world: WorldClient, subject?: string): Promise<Certification> {
  const began = systemWall()
  const [{ id }, clock, whole, { record: known }, version] = await Promise.all([
    world.show(),
    world.clock.show(),
    readRecord(world, START, { check: null, real: true }),
    world.certification(),
    versionOf(world),
  ])
  const judged = await judgeRecord(whole, known.initial_ids, clock.frozen)
  return passive(judged, {
    subject: subject ?? id,
    sandbox: { version, url: world.url, world: id },
    began,
    ended: systemWall(),
  })
}

/** Replaces all known secrets in the texts of a certification. */
function withoutSecrets(certification: Certification, secrets: readonly string[]): Certification {
  const known = secrets.filter((each) => each.length >= 6)
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string')
      return known.reduce((text, secret) => text.replaceAll(secret, redacted), value)
    if (Array.isArray(value)) return value.map(clean)
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, clean(each)]))
    return value
  }
  return clean(certification) as Certification
}
