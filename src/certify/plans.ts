/** Plans: named, versioned lists of checks with levels, chosen by the provider of a sandbox and not by the shop. */
import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { files } from '../lib/files.ts'
import { lazy } from '../lib/lazy.ts'
import { isRecord } from '../lib/objects.ts'
import { suggestion } from '../lib/text/suggest.ts'
import { duration, milliseconds, oneOf, text, words } from '../lib/text/word-schemas.ts'
import type { CheckId } from './certification.ts'
import { checkIds, groupOf, groups, isCheckId } from './check-ids.ts'
import { checks } from './checks.ts'
import { features } from './profile.ts'
import { ProfileError, readChecked } from './checked-file.ts'
import { type Profile, unknownCheck } from './read-profile.ts'

const DAY = 86_400_000

const named = () =>
  z.array(
    text().refine((id) => isCheckId(id) || Object.hasOwn(groups, id), {
      error: ({ input }) => unknownCheck(String(input)),
    }),
    { error: 'must be a list of checks or groups, such as [RCV, CLI-2]' },
  )

const planSchema = lazy(() =>
  words({
    plan: text()
      .max(100)
      .regex(/^[a-z0-9][a-z0-9.-]*$/, {
        error: 'must be a name with a version, such as checkout-kes-2026.1',
      })
      .describe('The name with its version. A changed plan gets a new name.'),
    title: text().max(200).describe('The purpose, for people.'),
    features: z
      .array(oneOf('a feature', features), { error: 'must be a list' })
      .min(1)
      .describe('The features that a profile must list.'),
    mandatory: named().describe(
      'Checks or groups that must pass. A group stands for its checks of these features.',
    ),
    recommended: named().optional().describe('Checks that do not decide. They take precedence over groups.'),
    valid: duration({ least: DAY, most: 1_096 * DAY })
      .optional()
      .describe('How long a certification is valid; 180d by default.'),
    waivers: z.boolean().optional().describe('Whether a profile may waive checks; false by default.'),
  }),
)

export const planJsonSchema = (): object => ({
  title: 'A plan of payments-sandbox certify',
  ...z.toJSONSchema(planSchema(), { io: 'input', unrepresentable: 'any' }),
})

export type CertificationPlan = Readonly<Awaited<ReturnType<typeof readPlan>>>

/** Returns the SHA-256 of a value as JSON with sorted names. */
export const hashOf = (value: unknown): string =>
  `sha256:${createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex')}`

function sorted(_: string, value: unknown): unknown {
  if (!isRecord(value)) return typeof value === 'function' ? 'function' : value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** @param file - The name for messages. @throws {ProfileError} With `file:line:column`. */
export async function readPlan(file: string, content: string) {
  const {
    plan,
    title,
    features: needed,
    mandatory,
    recommended = [],
    valid,
    waivers = false,
  } = await readChecked(file, content, planSchema())
  const applies = (id: CheckId) => {
    const { feature } = checks[id]
    return feature === undefined || needed.includes(feature)
  }
  const listed = { mandatory, recommended }
  const levelOf = (id: CheckId, name: string) =>
    (['recommended', 'mandatory'] as const).find(
      (level) => listed[level].includes(name) && (name === id || applies(id)),
    )
  // A check by its id takes precedence over its group.
  const levels = new Map(
    checkIds.flatMap((id) => {
      const level = levelOf(id, id) ?? levelOf(id, groupOf(id))
      return level ? [[id, level] as const] : []
    }),
  )
  const foreign = [...levels.keys()].filter((id) => !applies(id))
  if (foreign.length > 0)
    throw new ProfileError(
      foreign.map(
        (id) =>
          `${file}: ${id} is for shops with the feature ${checks[id].feature}, which features does not list`,
      ),
    )
  return {
    name: plan,
    title,
    features: needed,
    levels,
    /** How long a certification is valid, milliseconds. */
    valid: valid === undefined ? 180 * DAY : milliseconds(valid),
    waivers,
    hash: hashOf({ plan, title, features: needed, levels: Object.fromEntries(levels), valid, waivers }),
  }
}

/**
 * Reads the shipped plans and those of an operator, by name.
 * @param paths - Files, or folders of files.
 * @throws {ProfileError} For an invalid plan, and for two plans of one name.
 */
export async function readPlans(paths: readonly string[]): Promise<ReadonlyMap<string, CertificationPlan>> {
  const plans = new Map<string, CertificationPlan>()
  for (const path of [fileURLToPath(files.plans), ...paths])
    for (const file of await filesAt(path)) {
      const plan = await readPlan(file, await readFile(file, 'utf8'))
      if (plans.has(plan.name))
        throw new ProfileError([`${file}: there is already a plan ${plan.name}; give this one a new version`])
      plans.set(plan.name, plan)
    }
  return plans
}

async function filesAt(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path]
    const names = (await readdir(path)).filter((name) => /\.ya?ml$/.test(name))
    return names.toSorted().map((name) => join(path, name))
  } catch (error) {
    throw new ProfileError([
      `${path}: there is no such file or folder of plans (${(error as NodeJS.ErrnoException).code})`,
    ])
  }
}

/** @param given - The name of a shipped plan, or a file. @throws {ProfileError} */
export async function planOf(given: string): Promise<CertificationPlan> {
  if (/\.ya?ml$/.test(given)) return readPlan(given, await readFile(given, 'utf8'))
  return planNamed(given, await readPlans([]))
}

/** @throws {ProfileError} With the closest name. */
export function planNamed(name: string, plans: ReadonlyMap<string, CertificationPlan>): CertificationPlan {
  const plan = plans.get(name)
  if (plan) return plan
  throw new ProfileError([`there is no plan ${JSON.stringify(name)}${suggestion(name, [...plans.keys()])}`])
}

/** Checks that a profile contains what a plan demands. @throws {ProfileError} With every contradiction. */
export function requirePlanned(profile: Profile, plan: CertificationPlan): void {
  const { name, features: needed, waivers, levels } = plan
  const missing = needed.filter((each) => !(profile.features as readonly string[]).includes(each))
  const waived = Object.keys(profile.waivers)
  const parts = {
    trigger: profile.trigger || !needed.includes('collect'),
    payout: profile.payout || !needed.includes('withdraw'),
    probe: profile.probe,
    'receiver.url': profile.receiver.url,
  }
  const lines = [
    ...missing.map(
      (each) => `features: the plan ${name} is for shops with ${each}, which the profile does not list`,
    ),
    ...Object.entries(parts).flatMap(([part, given]) =>
      given ? [] : [`${part}: the plan ${name} needs it`],
    ),
    ...(waivers
      ? waived
          .filter((id) => !levels.has(id as CheckId))
          .map((id) => `waivers.${id}: the plan ${name} does not contain this check`)
      : waived.map((id) => `waivers.${id}: the plan ${name} allows no waivers`)),
  ]
  if (lines.length > 0) throw new ProfileError(lines.map((line) => `profile.${line}`))
}
