import { readConfig } from '../config/config.ts'
import type { Process } from './process.ts'

/** Where a browser or a client on this machine finds a sandbox that listens on `host`. */
export function localAddress(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

/** The address that a command without `--url` means: the one the same environment starts a sandbox at. */
export function defaultAddress(env: Process['env']): string {
  const { SANDBOX_HOST, HOST, SANDBOX_PORT, PORT } = env
  const { host, port } = readConfig({ SANDBOX_HOST, HOST, SANDBOX_PORT, PORT })
  return localAddress(host, port).replace('//localhost:', '//127.0.0.1:')
}
