import { readConfig } from '../config/config.ts'
import type { Process } from './process.ts'

/** Returns the address of a sandbox on this machine that listens on `host`. */
export function localAddress(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

/** Returns the default of `--url`: the address of a sandbox started with the same environment. */
export function defaultAddress(env: Process['env']): string {
  const { SANDBOX_HOST, HOST, SANDBOX_PORT, PORT } = env
  const { host, port } = readConfig({ SANDBOX_HOST, HOST, SANDBOX_PORT, PORT })
  return localAddress(host, port).replace('//localhost:', '//127.0.0.1:')
}
