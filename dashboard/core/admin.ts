import { createTransport, SandboxError } from '../../src/client/transport.ts'
import type { AdminRequestList, AdminSettings, Health, Version } from '../../src/generated/control/types.ts'
import { type Metrics, metricsIn } from './metrics.ts'
import { keptInWindow, settings } from './settings.ts'

const token = keptInWindow('admin', '')

/** Keeps the administrator token until the window closes. */
export const keepToken = (value: string): void => token.set(value)
export const hasToken = (): boolean => token.get() !== ''

const transport = createTransport(
  location.origin + settings.at,
  { username: '', password: '' },
  { send: (request) => fetch(request, { credentials: 'omit', cache: 'no-store' }), leadsThere: () => false },
)

/** @throws {SandboxError} Such as 401 without a token. */
export async function askAdmin<T>(method: string, path: string, body?: unknown): Promise<T> {
  // Browsers log every 401.
  if (settings.isHosted && !hasToken()) throw new SandboxError(`${method} ${path}`, 401, {})
  return transport.ask<T>(method, path, {
    ...(body !== undefined && { body }),
    ...(hasToken() && { headers: { authorization: `Bearer ${token.get()}` } }),
  })
}

export interface Moment {
  /** The window's time in milliseconds. */
  readonly at: number
  readonly health: Health
  readonly requests: AdminRequestList
  readonly settings: AdminSettings
  /** Undefined if metrics are off. */
  readonly metrics: Metrics | undefined
}

export async function readMoment(): Promise<Moment> {
  // Without the token, only this request is rejected.
  const now = await askAdmin<AdminSettings>('GET', '/__admin/settings')
  const [health, requests] = await Promise.all([
    askAdmin<Health>('GET', '/__admin/health'),
    askAdmin<AdminRequestList>('GET', '/__admin/requests?limit=30'),
  ])
  const metrics = health.metrics ? metricsIn(await askAdmin<string>('GET', '/metrics')) : undefined
  return { at: performance.now(), health, requests, settings: now, metrics }
}

export const readVersion = () => askAdmin<Version>('GET', '/__admin/version')
