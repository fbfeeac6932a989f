import { operationsOf, resolve, type Operation, type Part } from '../viewer/description.ts'

export const words = ['documented', 'observed', 'assumed'] as const
export type Provenance = (typeof words)[number]

export interface ProvenanceEntry {
  readonly kind:
    | 'operation'
    | 'parameter'
    | 'status'
    | 'header'
    | 'callback'
    | 'schema'
    | 'field'
    | 'result'
    | 'network'
    | 'code'
    | 'rule'
  /** The operation it belongs to; empty for schemas and fields, which operations share. */
  readonly operation: string
  /** `POST /api/v2/payments`, `page`, `201`, `CreateCollectionRequest.amount`. */
  readonly name: string
  readonly provenance: Provenance
  readonly note: string
}

/**
 * Where every operation, parameter, status, header, callback, schema and field of a description comes from. What says
 * nothing of itself is as its status, schema or operation says, so that nothing assumed looks documented.
 */
export function provenanceOf(description: Part): ProvenanceEntry[] {
  const operations = operationsOf(description.paths).flatMap((found) =>
    provenanceOfOperation(description, found),
  )
  const schemas = Object.entries<Part>(description.components?.schemas ?? {}).flatMap(([name, schema]) =>
    ofSchema(name, schema),
  )
  return [...operations, ...schemas]
}

type Mark = Pick<ProvenanceEntry, 'provenance' | 'note'>
const plain: Mark = { provenance: 'documented', note: '' }

function markOf(part: Part, otherwise: Mark): Mark {
  const { 'x-provenance': provenance, 'x-provenance-note': note } = part
  if (provenance) return { provenance, note: note ?? '' }
  return { provenance: otherwise.provenance, note: note ?? otherwise.note }
}

/** The same of one operation, without the schemas that it names. */
export function provenanceOfOperation(
  description: Part,
  { path, method, operation }: Operation,
): ProvenanceEntry[] {
  const id: string = operation.operationId
  const mark = markOf(operation, plain)
  const parameters = [...(description.paths[path].parameters ?? []), ...(operation.parameters ?? [])]
  const callbacks = Object.entries<Part>(operation.callbacks ?? {})
  const below = (
    kind: ProvenanceEntry['kind'],
    name: string,
    part: Part,
    otherwise: Mark,
  ): ProvenanceEntry => ({
    kind,
    operation: id,
    name,
    ...markOf(part, otherwise),
  })
  return [
    { kind: 'operation', operation: id, name: `${method.toUpperCase()} ${path}`, ...mark },
    ...parameters
      .map((each) => resolve(description, each))
      .map((each) => below('parameter', each.name, each, mark)),
    ...Object.entries<Part>(operation.responses).flatMap(([status, response]) => {
      const answer = { ...resolve(description, response), ...response }
      const own = below('status', status, answer, mark)
      const headers = Object.entries<Part>(answer.headers ?? {})
      return [
        own,
        ...headers.map(([name, header]) =>
          below('header', `${status} ${name}`, resolve(description, header), own),
        ),
      ]
    }),
    ...callbacks.flatMap(([name, callback]) =>
      operationsOf(resolve(description, callback)).map((each) =>
        below('callback', name, each.operation, mark),
      ),
    ),
  ]
}

function ofSchema(name: string, schema: Part): ProvenanceEntry[] {
  const mark = markOf(schema, plain)
  return [{ kind: 'schema', operation: '', name, ...mark }, ...fieldsOf(name, schema, mark)]
}

function fieldsOf(owner: string, schema: Part, mark: Mark): ProvenanceEntry[] {
  return Object.entries<Part>(schema.properties ?? {}).flatMap(([key, field]) => {
    const own = markOf(field, mark)
    const name = `${owner}.${key}`
    return [
      { kind: 'field' as const, operation: '', name, ...own },
      ...fieldsOf(name, field, own),
      ...(field.items ? fieldsOf(`${name}[]`, field.items, own) : []),
    ]
  })
}
