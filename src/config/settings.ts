import { formatDuration } from '../lib/text/duration.ts'
import { formatSettleAfter, type SettleAfter } from '../service/vocabulary/settle-after.ts'
import { budgetSettings, storageSettings } from './storage-settings.ts'
import { callbackSettings, mailSettings } from './callback-settings.ts'
import { serverSettings } from './server-settings.ts'
import type { ValueOf } from './setting.ts'
import { signUpSettings } from './sign-up-settings.ts'
import { worldSettings } from './world-settings.ts'

/** Every setting there is; a new one is one entry in one of these. The key is its name in `Config`. */
export const settings = {
  ...serverSettings,
  ...worldSettings,
  ...signUpSettings,
  ...callbackSettings,
  ...storageSettings,
  ...mailSettings,
  ...budgetSettings,
}

/** What the process was told; a setting without a value or a default is null. */
export type Config = { readonly [Name in keyof typeof settings]: ValueOf<(typeof settings)[Name]> }

/** What whoever calls the sandbox notices of its settings, and how each is written; nothing secret is among them. */
const noticed: { readonly [Name in keyof Config]?: (value: never) => string } = {
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

/** The settings that make a sandbox another than its documentation tells of, as they are set: `SANDBOX_SETTLE_AFTER=0`. */
export const settingsToKnow = (config: Config): readonly string[] =>
  Object.entries(noticed).flatMap(([name, write]) => {
    const { variable, fallback } = settings[name as keyof Config]
    const value = config[name as keyof Config]
    const written = value === null ? null : write(value as never)
    return written === null || written === fallback ? [] : [`${variable}=${written}`]
  })
