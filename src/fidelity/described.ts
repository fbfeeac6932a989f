/** The service's description as comparisons need it: operations by path, and the provenance of their parts. */
import { descriptionJson } from '../files.ts'
import { provenanceOf } from '../pages/provenance/entries.ts'
import { type Operation, operationsOf, type Part, resolve } from '../pages/viewer/description.ts'

/** A part of the description whose behaviour is documented, observed or assumed. */
export interface Point {
  /** For example `createCollection 201`, or `CollectionResponse.reference`. */
  readonly name: string
  readonly provenance: 'documented' | 'observed' | 'assumed'
  /** Whether the description lists all its values. */
  readonly closed: boolean
}

export interface Found {
  readonly operation: string
  readonly path: string
}

export type Description = Awaited<ReturnType<typeof readDescription>>

/** Reads the description of the service, with the previous API generation. */
export async function readDescription() {
  const apis = await Promise.all(
    (['service', 'extensions'] as const).map(async (api): Promise<Part> =>
      JSON.parse(await descriptionJson(api)),
    ),
  )
  const all = apis.flatMap((api) => operationsOf(api.paths).map((each) => ({ api, ...each })))
  const routes = all.map((each) => ({
    ...each,
    pattern: new RegExp(`${each.path.replaceAll('.', String.raw`\.`).replace(/\{\w+\}/g, '[^/]+')}$`),
    specific: each.path.replace(/\{\w+\}/g, '').length,
  }))
  routes.sort((a, b) => b.specific - a.specific)
  const byId = new Map(all.map((each) => [each.operation.operationId as string, each]))
  const marks = new Map(
    apis.flatMap((api) =>
      provenanceOf(api)
        .filter(({ kind }) => kind === 'status' || kind === 'field')
        .map(({ operation, name, provenance }) => [`${operation} ${name}`.trim(), provenance] as const),
    ),
  )
  const assumed = new Set([...marks].filter(([, mark]) => mark === 'assumed').map(([name]) => name))

  /** Returns the schema of a response or callback. */
  const schemaOf = ({ api, operation }: Operation & { api: Part }, place: string): Part => {
    const callbacks = operation.callbacks && Object.values<Part>(operation.callbacks)[0]
    const message =
      place === 'callback'
        ? callbacks && operationsOf(resolve(api, callbacks))[0]?.operation.requestBody
        : operation.responses[place]
    return resolve(api, message)?.content?.['application/json']?.schema
  }

  return {
    assumed,
    operations: [...byId.keys()],
    /** Returns the operation of a request; the service's base URL may have a path of its own. */
    find(method: string, pathname: string): Found | undefined {
      const route = routes.find((each) => each.method === method.toLowerCase() && each.pattern.test(pathname))
      const path = route?.pattern.exec(pathname)?.[0]
      return route && { operation: route.operation.operationId, path: path! }
    },
    /** Returns the point of a field such as `customer.items[].id`; of the whole message without a field. */
    point(operation: string, place: string, field: string): Point | undefined {
      const found = byId.get(operation)
      if (!found) return undefined
      if (field === '') return pointOf(`${operation} ${place}`, undefined)
      let schema = schemaOf(found, place)
      let name = ''
      for (const step of field.split(/\.|(?=\[\])/)) {
        const ref = /\/([^/]+)$/.exec(schema?.$ref ?? '')?.[1]
        if (ref) name = ref
        schema = resolve(found.api, schema)
        const options: Part[] = [schema, ...(schema?.oneOf ?? []), ...(schema?.allOf ?? [])]
        const owner = options.find((each) =>
          step === '[]' ? resolve(found.api, each)?.items : resolve(found.api, each)?.properties?.[step],
        )
        if (!owner) return undefined
        const own = /\/([^/]+)$/.exec(owner.$ref ?? '')?.[1]
        if (own) name = own
        const part = resolve(found.api, owner)
        schema = step === '[]' ? part.items : part.properties[step]
        name += step === '[]' ? '[]' : `.${step}`
      }
      return pointOf(name, schema)
    },
    /** Returns the paths of all fields of a message; none if it does not exist. */
    fields(operation: string, place: string): readonly string[] {
      const found = byId.get(operation)
      return found ? [...fieldsOf(found.api, schemaOf(found, place), '')] : []
    },
  }

  function* fieldsOf(api: Part, schema: Part, path: string): Generator<string> {
    const part = resolve(api, schema)
    for (const each of [...(part?.oneOf ?? []), ...(part?.allOf ?? [])]) yield* fieldsOf(api, each, path)
    if (part?.items) yield* fieldsOf(api, part.items, `${path}[]`)
    for (const [name, inner] of Object.entries<Part>(part?.properties ?? {})) {
      const field = path === '' ? name : `${path}.${name}`
      yield field
      yield* fieldsOf(api, inner, field)
    }
  }

  function pointOf(name: string, schema: Part): Point {
    const closed = schema?.enum !== undefined || schema?.const !== undefined
    return { name, provenance: marks.get(name) ?? 'documented', closed }
  }
}
