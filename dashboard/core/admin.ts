/** Access to the process, for administrators. */
import { SandboxError, createTransport } from '../../src/client/transport.ts'
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

/** @throws {SandboxError} such as 401 without a token */
export const askAdmin = <T>(method: string, path: string, body?: unknown): Promise<T> =>
  transport.ask<T>(method, path, {
    ...(body !== undefined && { body }),
    ...(hasToken() && { headers: { authorization: `Bearer ${token.get()}` } }),
  })

/** A measurement of the process. */
export interface Moment {
  /** The window's time in milliseconds. */
  readonly at: number
  readonly health: Health
  readonly requests: AdminRequestList
  readonly settings: AdminSettings
  /** Undefined if metrics are off or not needed. */
  readonly metrics: Metrics | undefined
}

export async function readMoment(): Promise<Moment> {
  // Without the token, only this request is rejected.
  const now = await askAdmin<AdminSettings>('GET', '/__admin/settings')
  const [health, requests, metrics] = await Promise.all([
    askAdmin<Health>('GET', '/__admin/health'),
    askAdmin<AdminRequestList>('GET', '/__admin/requests?limit=30'),
    rates === 'wanted' ? readMetrics() : undefined,
  ])
  return { at: performance.now(), health, requests, settings: now, metrics }
}

export const readVersion = () => askAdmin<Version>('GET', '/__admin/version')

/** Metrics are only requested when needed, since browsers log every 404. */
let rates: 'not asked for' | 'wanted' | 'off' = 'not asked for'
export const wantRates = (): void => void (rates = 'wanted')
export const ratesAre = (): typeof rates => rates

async function readMetrics(): Promise<Metrics | undefined> {
  try {
    return metricsIn(await askAdmin<string>('GET', '/metrics'))
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    rates = 'off'
    return undefined
  }
}
