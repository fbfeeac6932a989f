import { credentialsHere } from '../guides/for-this-sandbox.ts'
import type { Part } from './description.ts'
import { ownInbox } from '../../service/domain/callbacks.ts'
import type { Guide } from '../../worlds/guide.ts'

/** The text about the Teams of the default world. */
const DEFAULT_TEAMS = /^The demo world has Team [^]*?(?=\n\n)/m

/**
 * Adapts the texts of a description to this sandbox: its user, Teams, and public password.
 * @param first - the default world for newcomers
 */
export function describedHere(description: Part, first: Guide): Part {
  const here = (text: string) =>
    credentialsHere(text, first).replace(DEFAULT_TEAMS, () => `Its Teams: ${first.teams}.`)
  const { info, components } = description
  const schemes = Object.entries<Part>(components?.securitySchemes ?? {}).map(([name, scheme]) => [
    name,
    { ...scheme, ...(scheme.description && { description: here(scheme.description) }) },
  ])
  return {
    ...description,
    info: { ...info, ...(info.description && { description: here(info.description) }) },
    components: { ...components, securitySchemes: Object.fromEntries(schemes) },
  }
}

/** The callback URL in the written examples. */
const WRITTEN = 'https://shop.example/payments/callback'

/**
 * Replaces the callback URL of the examples in a JSON description with an inbox of the reader's world.
 * @param origin - address of the sandbox for the reader
 */
export const receiverHere = (json: string, origin: string): string =>
  json.replaceAll(WRITTEN, () => JSON.stringify(ownInbox(origin, 'default')).slice(1, -1))
