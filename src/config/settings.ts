import { budgetSettings } from './budget-settings.ts'
import { callbackSettings } from './callback-settings.ts'
import { mailSettings } from './mail-settings.ts'
import { serverSettings } from './server-settings.ts'
import { signUpSettings } from './sign-up-settings.ts'
import type { ValueOf } from './setting.ts'
import { storageSettings } from './storage-settings.ts'
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
