/** Compares the sandbox's description with another one of the service. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isRecord } from '../lib/objects.ts'
import { parsedJson } from '../lib/text/parsed-json.ts'
import { operationsOf, parametersOf, type Part, resolve } from '../pages/viewer/description.ts'
import { type Field, fieldsOf, messageAt, type OperationOf, readDescription } from './described.ts'
import { type Comparison, createComparison, type Finding, type Report } from './differences.ts'
import { RecordingError } from './har.ts'
import { reportOf } from './report.ts'

const LIMITS = { characters: 16_777_216, signs: 4_000_000 }

async function readContract(file: string) {
  const bytes = await readFile(file, 'utf8').catch(({ code, message }: NodeJS.ErrnoException) => {
    throw new RecordingError(`${file}: ${code === 'ENOENT' ? 'no such file' : message}`)
  })
  let api: Part = parsedJson(bytes)
  if (api === undefined) {
    const { readYaml } = await import('../lib/text/yaml-text.ts')
    const read = readYaml(bytes, LIMITS)
    if ('issues' in read)
      throw new RecordingError(
        read.issues.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`).join('\n'),
      )
    api = read.value
  }
  if (!isRecord(api) || !isRecord(api['paths']) || !String(api['openapi']).startsWith('3.'))
    throw new RecordingError(`${file}: is no OpenAPI 3 description with paths`)
  return { api: api as Part, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/** Names of parameters in paths differ. */
const keyOf = ({ method, path }: Pick<OperationOf, 'method' | 'path'>) =>
  `${method} ${path.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '')}`

/** Compares operations, parameters, and the fields of requests, responses and callbacks. @throws RecordingError */
export async function compareContract(file: string): Promise<Report> {
  const [description, { api, sha256 }] = await Promise.all([readDescription(), readContract(file)])
  const comparison = createComparison()
  const theirs = operationsOf(api.paths).map((each): OperationOf => ({ api, ...each }))
  const known = new Set<OperationOf>()
  const [service] = description.all
  let requests = 0
  for (const ours of description.all) {
    // A server's address may contain the first part of the paths.
    const found =
      theirs.find((each) => keyOf(each) === keyOf(ours)) ??
      theirs.find(
        (each) =>
          keyOf(ours).split(' ')[1]!.endsWith(keyOf(each).split(' ')[1]!) && each.method === ours.method,
      )
    const operation: string = ours.operation.operationId
    if (found) {
      known.add(found)
      requests += 1
      compareOperations(comparison, operation, ours, found)
    } else if (ours.api === service!.api)
      comparison.add({ operation, place: 'operation', entry: 0 }, 'missing', '', keyOf(ours), undefined)
  }
  for (const each of theirs.filter((one) => !known.has(one))) {
    const operation = String(each.operation.operationId ?? keyOf(each))
    comparison.add({ operation, place: 'operation', entry: 0 }, 'extra', '', undefined, keyOf(each))
  }
  const { differences, seen } = comparison
  const counts = { requests, callbacks: 0, skipped: theirs.length - known.size }
  const nothing = { exchanges: new Map(), delays: new Map(), retries: [] }
  const replayed = { differences, seen, counts, notes: [], description, ...nothing }
  return reportOf(file, { entries: [], sha256, notes: [] }, replayed)
}

function compareOperations(
  comparison: Comparison,
  operation: string,
  ours: OperationOf,
  theirs: OperationOf,
): void {
  const compare = (place: string, mine: readonly Field[], other: readonly Field[]) => {
    const at = { operation, place, entry: 0 }
    const fields = new Map(other.map((field) => [field.path, field]))
    const own = new Map(mine.map((field) => [field.path, field]))
    for (const [path, field] of own) {
      const their = fields.get(path)
      if (!their) {
        // A missing object lacks its fields too.
        if (!isBelow(path, own, fields)) comparison.add(at, 'missing', path, typesOf(field.schema), undefined)
        continue
      }
      comparison.note(at, path)
      for (const [kind, x, y] of changesOf([ours.api, field], [theirs.api, their], place))
        comparison.add(at, kind, path, x, y)
    }
    for (const [path, field] of fields)
      if (!own.has(path) && !isBelow(path, fields, own))
        comparison.add(
          at,
          place === 'request' && field.required ? 'narrowed' : 'extra',
          path,
          undefined,
          typesOf(resolve(theirs.api, field.schema)),
        )
  }
  compare('parameters', sentIn(ours), sentIn(theirs))
  for (const place of ['request', 'callback'])
    if (messageAt(ours, place) && messageAt(theirs, place))
      compare(place, [...fieldsOf(ours, place)], [...fieldsOf(theirs, place)])
  const statuses = Object.keys(theirs.operation.responses ?? {})
  for (const status of Object.keys(ours.operation.responses))
    if (statuses.includes(status)) compare(status, [...fieldsOf(ours, status)], [...fieldsOf(theirs, status)])
  for (const status of statuses.filter((each) => /^\d/.test(each) && !(each in ours.operation.responses)))
    comparison.add({ operation, place: status, entry: 0 }, 'extra', '', undefined, status)
}

/** Whether the object that contains a field is missing as a whole. */
function isBelow(path: string, own: ReadonlyMap<string, Field>, other: ReadonlyMap<string, Field>): boolean {
  const parent = path.replace(/(\.[^.[]+|\[\])$/, '')
  return parent !== path && own.has(parent) && !other.has(parent)
}

const sentIn = (of: OperationOf): readonly Field[] =>
  parametersOf(of.api, of)
    .filter((each) => each.in !== 'path')
    .map((each) => ({
      path: `${each.in} ${each.name}`,
      name: '',
      schema: each.schema ?? {},
      required: each.required ?? false,
    }))

const typesOf = (schema: Part): string => [schema?.type ?? 'any'].flat().join(' or ')

type Change = readonly [kind: Finding['kind'], ours: unknown, theirs: unknown]

/** Returns what the other schema allows less or more. */
function* changesOf(
  [mine, a]: readonly [Part, Field],
  [their, b]: readonly [Part, Field],
  place: string,
): Generator<Change> {
  const [x, y] = [resolve(mine, a.schema) ?? {}, resolve(their, b.schema) ?? {}]
  const sets = [
    ['type', (schema: Part) => withNumbers([schema.type ?? []].flat(), schema.nullable)],
    ['enum', (schema: Part) => schema.enum ?? (schema.const === undefined ? [] : [schema.const])],
  ] as const
  for (const [name, of] of sets) {
    const [own, other] = [of(x), of(y)].map((list) => new Set<unknown>(list))
    const change = changeOfSets(own!, other!)
    if (change)
      yield [change === 'other' ? (name === 'type' ? 'type' : 'value') : change, listed(own!), listed(other!)]
  }
  for (const [name, isMaximum] of bounds) {
    const [own, other] = [x, y].map((schema) => schema[name] ?? (isMaximum ? Infinity : -Infinity))
    if (own !== other)
      yield [other < own === isMaximum ? 'narrowed' : 'widened', `${name} ${own}`, `${name} ${other}`]
  }
  for (const name of ['format', 'pattern'])
    if (x[name] !== y[name])
      yield [
        x[name] === undefined ? 'narrowed' : y[name] === undefined ? 'widened' : 'format',
        x[name],
        y[name],
      ]
  if (a.required !== b.required && (place === 'request' || place === 'parameters' || a.required))
    yield b.required ? ['narrowed', 'optional', 'required'] : ['widened', 'required', 'optional']
}

const bounds = [
  ['minimum', false],
  ['exclusiveMinimum', false],
  ['minLength', false],
  ['minItems', false],
  ['maximum', true],
  ['exclusiveMaximum', true],
  ['maxLength', true],
  ['maxItems', true],
] as const

/** A number may be whole. */
const withNumbers = (types: readonly string[], nullable: unknown): readonly string[] => [
  ...types,
  ...(types.includes('number') ? ['integer'] : []),
  ...(nullable === true ? ['null'] : []),
]

const listed = (set: ReadonlySet<unknown>) => (set.size === 0 ? undefined : [...set].join(', '))

/** An empty set stands for all values. */
function changeOfSets(
  own: ReadonlySet<unknown>,
  other: ReadonlySet<unknown>,
): 'narrowed' | 'widened' | 'other' | undefined {
  const within = (a: ReadonlySet<unknown>, b: ReadonlySet<unknown>) =>
    b.size === 0 || (a.size > 0 && [...a].every((each) => b.has(each)))
  const [less, more] = [within(other, own), within(own, other)]
  return less && more ? undefined : less ? 'narrowed' : more ? 'widened' : 'other'
}
