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
  /** Undefined where metrics are off. */
  readonly metrics: Metrics | undefined
}

export async function readMoment(): Promise<Moment> {
  const [health, requests, now, metrics] = await Promise.all([
    askAdmin<Health>('GET', '/__admin/health'),
    askAdmin<AdminRequestList>('GET', '/__admin/requests?limit=30'),
    askAdmin<AdminSettings>('GET', '/__admin/settings'),
    readMetrics(),
  ])
  return { at: performance.now(), health, requests, settings: now, metrics }
}

export const readVersion = () => askAdmin<Version>('GET', '/__admin/version')

async function readMetrics(): Promise<Metrics | undefined> {
  try {
    return metricsIn(await askAdmin<string>('GET', '/metrics'))
  } catch (error) {
    if (error instanceof SandboxError) return undefined
    throw error
  }
}
