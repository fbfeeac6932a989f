import { redacted } from '../lib/log/redact.ts'
import type { Certification } from './certification.ts'

/** A certification without the secrets that are known, wherever they stand. */
export function withoutSecrets(certification: Certification, secrets: readonly string[]): Certification {
  const known = secrets.filter((each) => each.length >= 6)
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string')
      return known.reduce((text, secret) => text.replaceAll(secret, redacted), value)
    if (Array.isArray(value)) return value.map(clean)
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, clean(each)]))
    return value
  }
  return clean(certification) as Certification
}
