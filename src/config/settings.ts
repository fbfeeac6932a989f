import { formatDuration } from '../lib/text/duration.ts'
import { formatSettleAfter, type SettleAfter } from '../service/vocabulary/settle-after.ts'
import { budgetSettings, storageSettings } from './storage-settings.ts'
import { callbackSettings, mailSettings } from './callback-settings.ts'
import { serverSettings } from './server-settings.ts'
import type { ValueOf } from './setting.ts'
import { signUpSettings } from './sign-up-settings.ts'
import { worldSettings } from './world-settings.ts'

/** All settings by their names in `Config`. */
export const settings = {
  ...serverSettings,
  ...worldSettings,
  ...signUpSettings,
  ...callbackSettings,
  ...storageSettings,
  ...mailSettings,
  ...budgetSettings,
}

/** The values of all settings; null for a setting without a value and a default. */
export type Config = { readonly [Name in keyof typeof settings]: ValueOf<(typeof settings)[Name]> }

/** Settings that callers notice, with the functions that format them. None is secret. */
const visible: { readonly [Name in keyof Config]?: (value: never) => string } = {
  mode: String,
  settleAfter: (after: SettleAfter) => formatSettleAfter(after),
  realism: String,
  payer: String,
  validation: String,
  generation: String,
  extensions: String,
  headers: String,
  rateLimit: String,
  callbackShape: String,
  signatures: String,
  retryProfile: String,
  retrySpeed: String,
  callbackTimeout: (ms: number) => formatDuration(ms),
}

/** Returns the visible settings that differ from the documented defaults, such as `SANDBOX_SETTLE_AFTER=0`. */
export const settingsToKnow = (config: Config): readonly string[] =>
  Object.entries(visible).flatMap(([name, write]) => {
    const { variable, fallback } = settings[name as keyof Config]
    const value = config[name as keyof Config]
    const written = value === null ? null : write(value as never)
    return written === null || written === fallback ? [] : [`${variable}=${written}`]
  })
