/** A part of an OpenAPI description. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any JSON; the description was checked when it was generated
export type Part = any

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

export interface Operation {
  readonly path: string
  readonly method: (typeof methods)[number]
  readonly operation: Part
}

/** The operations of a description or of a callback, in its order. */
export function operationsOf(paths: Part): Operation[] {
  return Object.entries<Part>(paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method) => (item[method] ? [{ path, method, operation: item[method] }] : [])),
  )
}

/** What `part` stands for: itself, or what its `$ref` within `description` names. */
export function resolve(description: Part, part: Part): Part {
  if (typeof part?.$ref !== 'string') return part
  const found = part.$ref
    .slice(2)
    .split('/')
    .reduce((at: Part, key: string) => at?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], description)
  if (found === undefined) throw new Error(`the description has nothing at ${part.$ref}`)
  return found
}

/**
 * The description with one operation only, for a page that shows no other; undefined when it has no such operation. What it
 * does not lead to is left out, as is what says something of the whole.
 */
export function narrowTo(description: Part, operationId: string): Part | undefined {
  const found = operationsOf(description.paths).find(({ operation }) => operation.operationId === operationId)
  if (!found) return undefined
  const { path, method, operation } = found
  const { description: _about, summary: _line, ...info } = description.info
  const item = { parameters: description.paths[path].parameters ?? [], [method]: operation }
  return {
    ...description,
    info,
    tags: description.tags?.filter((tag: Part) => operation.tags?.includes(tag.name)),
    paths: { [path]: item },
    components: componentsFor(description, item),
  }
}

/** The components that a part refers to, and those that these refer to; what is referred to by its name alone is kept. */
function componentsFor(description: Part, part: Part): Part {
  const needed = new Set<string>()
  const left: Part[] = [part]
  for (const at of left) {
    if (typeof at === 'string' && at.startsWith(COMPONENTS) && !needed.has(at)) {
      needed.add(at)
      left.push(resolve(description, { $ref: at }))
    } else if (typeof at === 'object' && at !== null) left.push(...Object.values(at))
  }
  const kinds = Object.entries<Part>(description.components ?? {}).map(([kind, members]) => {
    const named = Object.entries<Part>(members)
    const kept = named.filter(([name]) => needed.has(`${COMPONENTS}${kind}/${name}`))
    return [kind, kind === 'securitySchemes' ? members : Object.fromEntries(kept)]
  })
  return Object.fromEntries(kinds)
}

const COMPONENTS = '#/components/'
