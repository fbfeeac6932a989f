import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'

/** The caller: the owner of the demo world, its read-only user, or a client without credentials. */
const caller = z.enum(['owner', 'viewer', 'nobody'])

/** A preceding request, such as `post: /sandbox/settle`, with its body and its caller. */
const step = z.strictObject({
  get: z.string().optional(),
  put: z.string().optional(),
  post: z.string().optional(),
  patch: z.string().optional(),
  delete: z.string().optional(),
  body: z.unknown().optional(),
  as: caller.default('owner'),
  /** Fields of the response. The request is repeated until it has them. */
  until: z.record(z.string(), z.unknown()).optional(),
})

const request = z.strictObject({
  /** A one-line summary. */
  summary: z.string(),
  /** Another request of the file that supplies the missing parts. */
  like: z.string().optional(),
  body: z.unknown().optional(),
  /** The raw body, if it is not JSON of the operation's type. */
  text: z.string().optional(),
  type: z.string().optional(),
  /** Fields to set in the body; objects are merged. */
  set: z.record(z.string(), z.unknown()).optional(),
  /** Fields to remove from the body, such as `customer.dob`. */
  without: z.array(z.string()).optional(),
  parameters: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  /** Headers that every operation accepts and none declares, such as `X-Sandbox-Scenario`. */
  headers: z.record(z.string(), z.string()).optional(),
  as: caller.default('owner'),
  /** Settings of the sandbox, if they differ from the defaults. */
  env: z.record(z.string(), z.string()).optional(),
  /** Preceding requests in the default world. `{{0.reference}}` is a field of the response to the first one. */
  before: z.array(step).default([]),
  /** The expected status, if it is not the operation's success. */
  status: z.int().optional(),
  /** Response fields that differ between runs, by JSON pointer, with the value to show. */
  varies: z.record(z.string(), z.unknown()).optional(),
  /** Number of list items to show, by JSON pointer; by default all. */
  shows: z.record(z.string(), z.int()).optional(),
})

const file = z.strictObject({
  requests: z.record(z.string(), request),
  /** Requests whose callbacks are shown as the operation's callbacks. */
  callbacks: z.record(z.string(), request).default({}),
})

export type Caller = z.infer<typeof caller>
export type Step = z.infer<typeof step>

/** A complete request, with inherited parts resolved. */
export interface ExampleRequest extends Omit<z.infer<typeof request>, 'like' | 'set' | 'without'> {
  readonly operationId: string
  readonly name: string
}

export interface OperationExamples {
  readonly requests: readonly ExampleRequest[]
  readonly callbacks: readonly ExampleRequest[]
}

/**
 * Returns the requests of a folder by operation. Each file has the name of its operation.
 * @throws {Error} With the file and its error
 */
export async function readExamples(folder: string): Promise<ReadonlyMap<string, OperationExamples>> {
  const found = new Map<string, OperationExamples>()
  for (const name of (await readdir(folder)).sort()) {
    const path = join(folder, name)
    const read = file.safeParse(parse(await readFile(path, 'utf8')))
    if (!read.success) throw new Error(`${path}: ${z.prettifyError(read.error)}`)
    const operationId = basename(name, '.yaml')
    const { requests, callbacks } = read.data
    const whole = (of: string) => wholeRequest(operationId, of, requests, callbacks)
    found.set(operationId, {
      requests: Object.keys(requests).map(whole),
      callbacks: Object.keys(callbacks).map(whole),
    })
  }
  return found
}

type Written = Readonly<Record<string, z.infer<typeof request>>>

function wholeRequest(operationId: string, name: string, requests: Written, callbacks: Written) {
  const { like, set, without = [], ...own } = (requests[name] ?? callbacks[name])!
  const model: Partial<ExampleRequest> = like === undefined ? {} : modelOf(operationId, like, requests)
  const body = structuredClone(own.body ?? (own.text === undefined ? model.body : undefined))
  if (set) merge(body as Fields, set)
  for (const path of without) remove(body as Fields, path.split('.'))
  return {
    ...own,
    operationId,
    name,
    ...(body !== undefined && { body }),
    parameters: { ...model.parameters, ...own.parameters },
    headers: { ...model.headers, ...own.headers },
    before: [...(model.before ?? []), ...own.before],
  }
}

function modelOf(operationId: string, like: string, requests: Written): ExampleRequest {
  if (!requests[like]) throw new Error(`${operationId} has no request ${like} to be like`)
  return wholeRequest(operationId, like, requests, {})
}

type Fields = Record<string, unknown>

function merge(into: Fields, fields: Fields): void {
  for (const [name, value] of Object.entries(fields)) {
    const there = into[name]
    if (isFields(there) && isFields(value)) merge(there, value)
    else into[name] = structuredClone(value)
  }
}

function remove(from: Fields, [name, ...rest]: readonly string[]): void {
  if (rest.length > 0) remove(from[name!] as Fields, rest)
  else delete from[name!]
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
