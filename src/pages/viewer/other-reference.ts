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

/** What leads from the service's to that of the API's older generation, where that is served. */
const TO_OLDER =
  ' What older client libraries call beside is in a third: [Older generation](?reference=extensions#extensions).'

/** The description of one API with all of its requests in a file for editors, and the way to the reference of the other, which the search of the viewer does not reach. @param extensions whether there is a third */
export function withWayToOther(api: keyof typeof ways, description: Part, extensions = false): Part {
  const { info } = description
  const older = extensions && api === 'service' ? TO_OLDER : ''
  const way = `<span class="other-reference">${ways[api]}${older}</span>`
  const requests = `<span class="editor-requests">[Requests for your editor](docs/collections/${api}.http)</span>`
  const told = `${way}\n\n${requests}\n\n${info.description}`
  return { ...description, info: { ...info, description: told } }
}
