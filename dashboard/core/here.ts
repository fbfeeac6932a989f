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
