/** The current world in terminal commands. */
import { session } from './session.ts'
import { settings } from './settings.ts'

/** For example `demo:demo`; only the username if the password is secret, so that curl prompts for it. */
export function curlUser(): string {
  const { username, client } = session.value!
  return settings.password !== undefined && client.password === settings.password
    ? `${username}:${client.password}`
    : username
}

/** Whether an address only works on the same machine. */
export function isHere(address: string): boolean {
  const { hostname } = new URL(address)
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname)
}
