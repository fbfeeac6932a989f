/** The world that is shown, as commands for a terminal name it. */
import { session } from './session.ts'
import { settings } from './settings.ts'

/** `demo:demo`; the name alone where the password is a secret, which curl then asks for. */
export function curlUser(): string {
  const { username, client } = session.value!
  return settings.password !== undefined && client.password === settings.password
    ? `${username}:${client.password}`
    : username
}

/** Whether an address leads nowhere but to the machine that it is opened on. */
export function isHere(address: string): boolean {
  const { hostname } = new URL(address)
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname)
}
