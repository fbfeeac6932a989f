/** The process behind all worlds, for who may steer it. */
import { createTransport, SandboxError } from '../../src/client/transport.ts'
import type { AdminRequestList, AdminSettings, Health, Version } from '../../src/generated/control/types.ts'
import { type Metrics, metricsIn } from './metrics.ts'
import { settings } from './settings.ts'
import { keptInWindow } from './storage.ts'

const token = keptInWindow('admin', '')

/** Remembers the token of the administrator for as long as the window is open. */
export const keepToken = (value: string): void => token.set(value)
export const hasToken = (): boolean => token.get() !== ''

const transport = createTransport(
  location.origin + settings.at,
  { username: '', password: '' },
  { send: (request) => fetch(request, { credentials: 'omit', cache: 'no-store' }), leadsThere: () => false },
)

/** @throws SandboxError such as 401 where a token is wanted */
export const askAdmin = <T>(method: string, path: string, body?: unknown): Promise<T> =>
  transport.ask<T>(method, path, {
    ...(body !== undefined && { body }),
    ...(hasToken() && { headers: { authorization: `Bearer ${token.get()}` } }),
  })

/** The process at a moment. */
export interface Moment {
  /** Milliseconds, of the window. */
  readonly at: number
  readonly health: Health
  readonly requests: AdminRequestList
  readonly settings: AdminSettings
  /** Undefined where metrics are off, or nobody wants them. */
  readonly metrics: Metrics | undefined
}

export async function readMoment(): Promise<Moment> {
  const [health, requests, now, metrics] = await Promise.all([
    askAdmin<Health>('GET', '/__admin/health'),
    askAdmin<AdminRequestList>('GET', '/__admin/requests?limit=30'),
    askAdmin<AdminSettings>('GET', '/__admin/settings'),
    rates === 'wanted' ? readMetrics() : undefined,
  ])
  return { at: performance.now(), health, requests, settings: now, metrics }
}

export const readVersion = () => askAdmin<Version>('GET', '/__admin/version')

/** Whether metrics are asked for: only when somebody wants them, since a browser complains of each answer that there are none. */
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
