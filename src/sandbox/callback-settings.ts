import { firstSecrets, readRewrites, readSchemes } from '../callbacks/settings.ts'
import type { Config } from '../config.ts'
import { ConfigError } from '../config.ts'
import { checkExpression } from '../scheduler/recurring.ts'

/** Settings whose form only their users know. @throws ConfigError that names the variable */
export function readCallbackSettings({
  apiUsername,
  apiPassword,
  signatures,
  signingSecret,
  callbackRewrite,
}: Config) {
  checked('SANDBOX_SIGNATURES', () => readSchemes(signatures))
  return {
    rewrites: checked('SANDBOX_CALLBACK_REWRITE', () => readRewrites(callbackRewrite)),
    firstSecret: checked('SANDBOX_SIGNING_SECRET', () =>
      firstSecrets(apiUsername, signingSecret, apiPassword),
    ),
  }
}

/** @throws ConfigError when SANDBOX_RESET_CRON is set and no cron expression */
export async function checkCalendar({ resetCron }: Config): Promise<void> {
  if (resetCron !== null) await checkExpression(resetCron).catch(refused('SANDBOX_RESET_CRON'))
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
