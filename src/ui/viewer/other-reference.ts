import type { Part } from './description.ts'

// An address of its own for each: the viewer does not change over when only the fragment changes. Relative, so that it holds
// below any path.
const ways = {
  service:
    'The search finds what is in this reference. What looks into the sandbox and steers it is in another: ' +
    '[Sandbox control](?reference=control#control).',
  control:
    'The search finds what is in this reference. The operations of the service are in another: ' +
    '[Payments and Teams](?reference=service#service).',
  extensions:
    'The search finds what is in this reference. The operations of the specification are in another: ' +
    '[Payments and Teams](?reference=service#service).',
} as const

/** The description of one API with the way to the reference of the other, which the search of the viewer does not reach. */
export function withWayToOther(api: keyof typeof ways, description: Part): Part {
  const { info } = description
  const way = `<span class="other-reference">${ways[api]}</span>`
  return { ...description, info: { ...info, description: `${way}\n\n${info.description}` } }
}
