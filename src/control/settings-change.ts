import type { Settings } from '../service/domain/context.ts'
import { invalid } from '../service/domain/errors.ts'
import { WorldSettingsChange } from '../generated/control/schemas.ts'
import type { UpdateWorldBody } from '../generated/control/requests.ts'
import { validationError } from '../http/validation-error.ts'
import { reporting } from '../lib/text/validation-messages.ts'
import type { WorldRows } from '../storage/store/store.ts'
import { readSignatures } from '../callbacks/signatures/read-signatures.ts'
import { SETTINGS, stateIn } from '../worlds/template.ts'
import { changedSettings, type SettingsChange } from '../worlds/settings.ts'

/**
 * A change as it was sent, ready to be kept: a world that was kept with one that cannot be would never open again.
 * @throws ServiceError 400 naming the field and its value
 */
export function settingsChange(
  { signatures, ...others }: UpdateWorldBody,
  defaults: Settings,
): SettingsChange {
  const change: SettingsChange = {
    ...others,
    ...(signatures !== undefined && { signatures: signaturesText(signatures) }),
  }
  changedSettings(defaults, change)
  return change
}

/** Looks at the settings among rows that come from elsewhere. @throws ServiceError 400 for what is wrong with them */
export function requireSettings(rows: WorldRows, defaults: Settings): void {
  const kept = WorldSettingsChange().safeParse(stateIn(rows, SETTINGS) ?? {}, reporting)
  if (!kept.success) throw validationError(kept.error)
  settingsChange(kept.data, defaults)
}

function signaturesText(signatures: NonNullable<UpdateWorldBody['signatures']>): string {
  const text = typeof signatures === 'string' ? signatures : JSON.stringify(signatures)
  try {
    readSignatures(text)
  } catch (error) {
    throw invalid(`signatures ${JSON.stringify(signatures)}: ${(error as Error).message}`)
  }
  return text
}
