import { parseRewrites, type Rewrite } from '../callbacks/target.ts'
import { readSignatures } from '../callbacks/signatures/profiles/profiles.ts'
import { type FirstSecret, firstSecrets } from '../callbacks/signatures/secrets.ts'
import { type Config, ConfigError } from '../config/config.ts'
import { keyIssues } from '../config/weak-secrets.ts'
import { settings } from '../config/settings.ts'
import type { Seed } from '../generated/control/types.ts'
import type { CertificationPlan } from '../certify/plans.ts'
import { lazy } from '../lib/lazy.ts'
import type { Log } from '../lib/log/log.ts'
import { checkExpression } from '../scheduler/recurring.ts'
import type { Observed } from '../service/vocabulary/observed.ts'
import { defaultTiers } from '../service/domain/wallets.ts'
import { defaultCosts } from '../service/domain/costs.ts'
import type { Plans } from '../worlds/budget.ts'
import { defaultSeed } from '../worlds/default-seed.ts'
import { type Guide, guideOf } from '../worlds/guide.ts'
import { costBand, createDefaults, type Defaults } from '../worlds/settings.ts'

export interface InitialState {
  readonly seed: Seed
  /** The name of the default world: the API username of the seed's first key. */
  readonly home: string
  readonly callbacks: { readonly rewrites: readonly Rewrite[]; readonly firstSecret: FirstSecret }
  readonly defaults: Defaults
  readonly guide: Guide
  /** The plans of certification, read at first use unless the operator has own ones. */
  readonly certificationPlans: () => Promise<ReadonlyMap<string, CertificationPlan>>
  /** The plans of worlds, by name. */
  readonly plans: Plans
}

/**
 * Reads the seed and the settings that depend on it.
 * @param given - Replaces the seed file.
 * @throws SeedError, ConfigError
 */
export async function readInitialState(
  config: Config,
  log: Log,
  given: Seed | undefined,
): Promise<InitialState> {
  const own = given ?? (await seedOfFile(config))
  const seed = own ?? defaultSeed(config.apiUsername, config.apiPassword, config.viewerPassword ?? undefined)
  if (own && !given) warnOfUnused(config, log)
  return {
    seed,
    home: seed.api_keys[0]!.username,
    callbacks: await readCallbackSettings(config, seed, own !== undefined),
    defaults: worldDefaults(config, seed, await overlayOf(config)),
    guide: guideOf(seed, own ? 'the seed file' : 'SANDBOX_API_PASSWORD'),
    certificationPlans: await certificationPlansOf(config),
    plans: await plansOf(config),
  }
}

/** @throws ConfigError for an invalid plan, and for a required one that there is not */
async function certificationPlansOf({
  certificationPlans,
  certificationPlan,
}: Config): Promise<InitialState['certificationPlans']> {
  const plans = lazy(async () => (await import('../certify/plans.ts')).readPlans(certificationPlans ?? []))
  if (certificationPlans === null && certificationPlan === null) return plans
  const { planNamed } = await import('../certify/plans.ts')
  let variable = 'SANDBOX_CERTIFICATION_PLANS'
  try {
    const known = await plans()
    variable = 'SANDBOX_CERTIFICATION_PLAN'
    for (const name of certificationPlan ?? []) planNamed(name, known)
    return plans
  } catch (error) {
    throw new ConfigError(`${variable}: ${(error as Error).message}`)
  }
}

async function plansOf({ plans: file, signUpTokens }: Config): Promise<Plans> {
  if (file === null) return new Map()
  const { readPlansFile } = await import('./plans.ts')
  return readPlansFile(file, signUpTokens ?? [])
}

/** @throws ConfigError if the file is no overlay of this version */
async function overlayOf({ observed }: Config): Promise<Observed | undefined> {
  if (observed === null) return undefined
  const { OverlayError, readOverlayFile } = await import('../fidelity/overlay.ts')
  return readOverlayFile(observed).catch((error: unknown) => {
    throw error instanceof OverlayError ? new ConfigError(`SANDBOX_OBSERVED: ${error.message}`) : error
  })
}

async function seedOfFile({ seedFile }: Config): Promise<Seed | undefined> {
  if (seedFile === null) return undefined
  const { readSeedFile } = await import('../worlds/read-seed.ts')
  return readSeedFile(seedFile)
}

/**
 * Parses the settings of callbacks, and checks the API keys of a seed in hosted mode.
 * @param given - Whether the seed is not the built-in one.
 * @throws ConfigError with a line for each invalid variable
 */
async function readCallbackSettings(
  config: Config,
  seed: Seed,
  given: boolean,
): Promise<InitialState['callbacks']> {
  const { signatures, signingSecret, callbackRewrite, resetCron, mode, adminToken, seedFile } = config
  const { username, password } = seed.api_keys[0]!
  const own = mode === 'hosted' ? { ownerPassword: password, operator: adminToken! } : password
  const issues = given && mode === 'hosted' ? [...keyIssues(seed.api_keys, seedFile ?? 'the seed')] : []
  const read = async <Value>(variable: string, reading: () => Value): Promise<Awaited<Value> | undefined> => {
    try {
      return await reading()
    } catch (error) {
      const { message } = error as Error
      issues.push(message.startsWith(variable) ? message : `${variable}: ${message}`)
      return undefined
    }
  }
  await read('SANDBOX_SIGNATURES', () => readSignatures(signatures))
  const rewrites = await read('SANDBOX_CALLBACK_REWRITE', () => parseRewrites(callbackRewrite ?? ''))
  const firstSecret = await read('SANDBOX_SIGNING_SECRET', () => firstSecrets(username, signingSecret, own))
  if (resetCron !== null) await read('SANDBOX_RESET_CRON', () => checkExpression(resetCron))
  if (issues.length > 0) throw new ConfigError(issues.join('\n'))
  return { rewrites: rewrites!, firstSecret: firstSecret! }
}

/** Warns that settings of the default API keys have no effect because the seed file contains its own keys. */
function warnOfUnused({ apiUsername, apiPassword, viewerPassword, seedFile }: Config, log: Log): void {
  const unused = [
    ...(apiUsername === settings.apiUsername.fallback ? [] : [settings.apiUsername.variable]),
    ...(apiPassword === settings.apiPassword.fallback ? [] : [settings.apiPassword.variable]),
    ...(viewerPassword === null ? [] : [settings.viewerPassword.variable]),
  ]
  if (unused.length > 0)
    log.warn('settings without effect', { settings: unused, why: `${seedFile} contains its own API keys` })
}

/** Milliseconds from a KYC submission to its approval (open-points, "KYC"). */
const REVIEW_AFTER = 10_000

/** Returns the settings of every world until it changes them. */
export const worldDefaults = (config: Config, seed: Seed, observed?: Observed) =>
  createDefaults({
    ...(observed && { observed }),
    settle_after: config.settleAfter,
    review_after: REVIEW_AFTER,
    callback_shape: config.callbackShape,
    signatures: config.signatures,
    retry_profile: config.retryProfile,
    retry_speed: config.retrySpeed,
    retry_jitter: config.retryJitter,
    trace_context: config.traceContext,
    callback_timeout: config.callbackTimeout,
    validation: config.validation,
    generation: config.generation,
    payer: config.payer,
    realism: config.realism,
    retention: config.retention,
    tiers: seed.tiers ?? defaultTiers,
    costs: seed.costs?.map(costBand) ?? defaultCosts,
    ...(config.smtpUrl !== null && { send_mails: true }),
    ...(config.extensions === 'on' && { extensions: true }),
  })
