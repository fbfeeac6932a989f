import { parseRewrites } from '../callbacks/rewrite.ts'
import type { Config } from '../config.ts'
import { ConfigError } from '../config.ts'
import { keyIssues } from '../config/hosted.ts'
import { settings } from '../config/settings.ts'
import type { Log } from '../log.ts'
import { checkExpression } from '../scheduler/recurring.ts'
import { readSignatures } from '../signatures/read-signatures.ts'
import { firstSecrets } from '../signatures/secrets.ts'
import type { Seed, SeedKey } from '../worlds/seed.ts'

/**
 * Settings whose form only their users know.
 * @param owner the key that the default world is named after
 * @throws ConfigError that names the variable
 */
export function readCallbackSettings(
  { signatures, signingSecret, callbackRewrite, mode, adminToken }: Config,
  owner: Pick<SeedKey, 'username' | 'password'>,
) {
  checked('SANDBOX_SIGNATURES', () => readSignatures(signatures))
  return {
    rewrites: checked('SANDBOX_CALLBACK_REWRITE', () => parseRewrites(callbackRewrite ?? '')),
    firstSecret: checked('SANDBOX_SIGNING_SECRET', () =>
      firstSecrets(
        owner.username,
        signingSecret,
        mode === 'hosted' ? { ownerPassword: owner.password, operator: adminToken! } : owner.password,
      ),
    ),
  }
}

/** @throws ConfigError when SANDBOX_RESET_CRON is set and no cron expression */
export async function checkCalendar({ resetCron }: Config): Promise<void> {
  if (resetCron !== null) await checkExpression(resetCron).catch(refused('SANDBOX_RESET_CRON'))
}

/** @throws ConfigError when a hosted sandbox would start with keys whose passwords are known or soon guessed */
export function requireOwnKeys({ mode, seedFile }: Config, { api_keys }: Pick<Seed, 'api_keys'>): void {
  const issues = mode === 'hosted' ? keyIssues(api_keys, seedFile ?? 'the seed') : []
  if (issues.length > 0) throw new ConfigError(issues.join('\n'))
}

/** Says that a seed file has keys of its own: whoever set a password for the default one must not count on it. */
export function warnOfUnused({ apiUsername, apiPassword, viewerPassword, seedFile }: Config, log: Log): void {
  const unused = [
    ...(apiUsername === settings.apiUsername.fallback ? [] : [settings.apiUsername.variable]),
    ...(apiPassword === settings.apiPassword.fallback ? [] : [settings.apiPassword.variable]),
    ...(viewerPassword === null ? [] : [settings.viewerPassword.variable]),
  ]
  if (unused.length > 0)
    log.warn('settings without effect', { settings: unused, why: `the keys are those of ${seedFile}` })
}

function checked<T>(variable: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    return refused(variable)(error as Error)
  }
}

const refused =
  (variable: string) =>
  ({ message }: Error): never => {
    throw new ConfigError(message.startsWith(variable) ? message : `${variable}: ${message}`)
  }
