import { ConfigError, readConfig } from '../config/config.ts'
import { isAddress } from '../lib/text/is-url.ts'
import type { Process } from './process.ts'

/** Returns the address of a sandbox on this machine that listens on `host`. */
export function localAddress(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

/**
 * Returns the variable that all clients read, without a trailing slash.
 * @throws {ConfigError} If it is not an address.
 */
export function addressIn({ PAYMENTS_SANDBOX_URL: url }: Process['env']): string | undefined {
  if (!url) return undefined
  if (isAddress(url)) return url.replace(/\/$/, '')
  throw new ConfigError(
    `PAYMENTS_SANDBOX_URL must be an address such as http://127.0.0.1:8080, got ${JSON.stringify(url)}`,
  )
}

/** Returns the default of `--url`: PAYMENTS_SANDBOX_URL, or the address of a sandbox started with the same environment. */
export function defaultAddress(env: Process['env']): string {
  const named = addressIn(env)
  if (named !== undefined) return named
  const { SANDBOX_HOST, HOST, SANDBOX_PORT, PORT } = env
  const { host, port } = readConfig({ SANDBOX_HOST, HOST, SANDBOX_PORT, PORT })
  return localAddress(host, port).replace('//localhost:', '//127.0.0.1:')
}
