import type { Config } from '../config/config.ts'
import { defaultCosts } from '../service/domain/money.ts'
import { defaultTiers } from '../service/domain/limits.ts'
import type { Seed } from '../generated/control/types.ts'
import { costBand, createDefaults } from '../worlds/settings.ts'

/** From a KYC submission to its approval, milliseconds (open-points, "KYC"). */
const REVIEW_AFTER = 10_000

/** What every world's settings are until it changes them: the configuration, and the figures of the seed. */
export const worldDefaults = (config: Config, seed: Seed) =>
  createDefaults({
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
    keep: config.keep,
    tiers: seed.tiers ?? defaultTiers,
    costs: seed.costs?.map(costBand) ?? defaultCosts,
    ...(config.smtpUrl !== null && { send_mails: true }),
    ...(config.extensions === 'on' && { extensions: true }),
  })
