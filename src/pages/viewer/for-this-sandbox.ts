import { credentialsHere } from '../guides/for-this-sandbox.ts'
import type { Part } from './description.ts'
import { ownInbox } from '../../service/domain/callbacks.ts'
import type { Guide } from '../../worlds/guide.ts'

/** What the descriptions tell of the world that there is when nothing is set. */
const DEFAULT_TEAMS = /^The demo world has Team [^]*?(?=\n\n)/m

/**
 * A description whose texts tell of this sandbox: its user, its Teams, and the password where everybody may know it.
 * @param first what a newcomer is shown of the default world
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

/** Where the examples of the description want their results. */
const WRITTEN = 'https://shop.example/payments/callback'

/**
 * A description, or a part of it, as JSON, whose examples have a `callback_url` that takes what they lead to: an inbox of
 * the world of whoever tries them.
 * @param origin where the reader reached the sandbox
 */
export const receiverHere = (json: string, origin: string): string =>
  json.replaceAll(WRITTEN, () => JSON.stringify(ownInbox(origin, 'default')).slice(1, -1))
