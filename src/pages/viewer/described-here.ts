import type { Guide } from '../../worlds/guide.ts'
import { credentialsHere } from '../guides/here.ts'
import type { Part } from './description.ts'

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
