/** The service's description as comparisons need it: operations by path, and the provenance of their parts. */
import { descriptionJson } from '../lib/files.ts'
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
  const assumed = [...marks.values()].filter((mark) => mark === 'assumed').length

  /** The points of a message by the paths of its fields, such as `customer.items[].id`. */
  const messages = new Map<string, ReadonlyMap<string, Point>>()
  const pointsOf = (operation: string, place: string): ReadonlyMap<string, Point> => {
    const key = `${operation} ${place}`
    const found = byId.get(operation)
    let points = messages.get(key)
    if (!points) {
      // Of alternatives with the same field, the first counts.
      const all = found ? [...fieldsOf(found, place)].toReversed() : []
      points = new Map(all.map(({ path, name, schema }) => [path, pointOf(name, schema)]))
      messages.set(key, points)
    }
    return points
  }

  function pointOf(name: string, schema: Part): Point {
    const closed = schema?.enum !== undefined || schema?.const !== undefined
    return { name, provenance: marks.get(name) ?? 'documented', closed }
  }

  return {
    assumed,
    all,
    operations: [...byId.keys()],
    /** Returns the operation of a request; the service's base URL may have a path of its own. */
    find(method: string, pathname: string) {
      const route = routes.find((each) => each.method === method.toLowerCase() && each.pattern.test(pathname))
      const path = route?.pattern.exec(pathname)?.[0]
      return route && { operation: route.operation.operationId as string, path: path! }
    },
    /** Returns the point of a field; of the whole message without a field. */
    point(operation: string, place: string, field: string): Point | undefined {
      if (field !== '') return pointsOf(operation, place).get(field)
      return byId.has(operation) ? pointOf(`${operation} ${place}`, undefined) : undefined
    },
    /** Returns the paths of all fields of a message; none if it does not exist. */
    fields: (operation: string, place: string): readonly string[] => [...pointsOf(operation, place).keys()],
  }
}

/** An operation of a description. */
export type OperationOf = Operation & { readonly api: Part }

/** Returns the message of a response, a request or a callback. */
export function messageAt({ api, operation }: OperationOf, place: string): Part {
  const callbacks = operation.callbacks && Object.values<Part>(operation.callbacks)[0]
  const bodies = {
    request: operation.requestBody,
    callback: callbacks && operationsOf(resolve(api, callbacks))[0]?.operation.requestBody,
  }
  return resolve(api, place in bodies ? bodies[place as keyof typeof bodies] : operation.responses?.[place])
}

/** Returns the fields of a message, at any depth. */
export function* fieldsOf(of: OperationOf, place: string): Generator<Field> {
  const content: Part = Object.entries<Part>(messageAt(of, place)?.content ?? {}).find(([type]) =>
    type.includes('json'),
  )?.[1]
  yield* walk(of.api, content?.schema, '', '')
}

/** Schemas that contain themselves end somewhere. */
const DEEPEST = 12

export interface Field {
  readonly path: string
  /** As in the list of provenance: fields of a shared schema begin with its name. */
  readonly name: string
  readonly schema: Part
  readonly required: boolean
}

function* walk(api: Part, schema: Part, path: string, name: string): Generator<Field> {
  if (path.split(/\.|\[/).length > DEEPEST) return
  const owner: string = /[^/]+$/.exec(schema?.$ref ?? '')?.[0] ?? name
  const part = resolve(api, schema)
  for (const each of [...(part?.oneOf ?? []), ...(part?.allOf ?? [])]) yield* walk(api, each, path, owner)
  const inner = [
    ...(part?.items
      ? [{ path: `${path}[]`, name: `${owner}[]`, schema: part.items as Part, required: false }]
      : []),
    ...Object.entries<Part>(part?.properties ?? {}).map(([key, each]) => ({
      path: path === '' ? key : `${path}.${key}`,
      name: `${owner}.${key}`,
      schema: each,
      required: part.required?.includes(key) ?? false,
    })),
  ]
  for (const each of inner) {
    yield each
    yield* walk(api, each.schema, each.path, each.name)
  }
}
