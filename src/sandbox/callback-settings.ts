import { parseRewrites, type Rewrite } from '../callbacks/rewrite.ts'
import { type Config, ConfigError } from '../config/config.ts'
import { keyIssues } from '../config/hosted.ts'
import { settings } from '../config/settings.ts'
import type { Log } from '../lib/log/log.ts'
import { checkExpression } from '../scheduler/recurring.ts'
import { readSignatures } from '../callbacks/signatures/read-signatures.ts'
import { type FirstSecret, firstSecrets } from '../callbacks/signatures/secrets.ts'
import type { Seed } from '../generated/control/types.ts'

/** What is told of callbacks, read. */
export interface CallbackSettings {
  readonly rewrites: readonly Rewrite[]
  readonly firstSecret: FirstSecret
}

/**
 * Reads the settings whose form only their users know, and looks at the keys of a seed.
 * @param seed what the default world is made of
 * @param given it is not the one that is built in
 * @throws ConfigError with a line for each that is wrong, which names the variable
 */
export async function readCallbackSettings(
  config: Config,
  seed: Seed,
  given: boolean,
): Promise<CallbackSettings> {
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
