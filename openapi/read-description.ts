import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import {
  bundle,
  type Config,
  createConfig,
  getLineColLocation,
  lint,
  type NormalizedProblem,
  type Oas3Rule,
  type Plugin,
} from '@redocly/openapi-core'
import { parse } from 'yaml'
import { type OpenApiDocument, type Schema, type RequestBody, resolve, operationsOf } from './document.ts'
import { schemaFaults, typesOf } from './schema-keywords.ts'

/** Reports schemas that the generator cannot turn into code, with their location. */
const generatable: Oas3Rule = () => ({
  Schema(schema, { report, location }) {
    for (const { keyword, message } of schemaFaults(schema as Schema))
      report({ message, location: keyword ? location.child(keyword).key() : location })
  },
  ref(node, { report, location, type }) {
    if (type.name !== 'Schema') return
    for (const { keyword, message } of schemaFaults(node as Schema))
      report({ message, location: keyword ? location.child(keyword).key() : location })
  },
})

const plugin: Plugin = { id: 'generator', rules: { oas3: { generatable } } }

/**
 * Bundles the files of a description into one document, after linting them with the redocly.yaml of its folder.
 * @throws {Error} With file, line and message of each finding, or with the unlimited parts of requests
 */
export async function readDescription(file: string): Promise<OpenApiDocument> {
  await lintDescription(file, join(dirname(file), 'redocly.yaml'))
  return bundleDescription(file)
}

/**
 * Lints all files of a description.
 * @throws {Error} With file, line and message of each finding
 */
export async function lintDescription(file: string, rules = 'openapi/redocly.yaml'): Promise<void> {
  const problems = await lint({ ref: file, config: await readRules(rules) })
  if (problems.length) throw new Error(problems.map(problemLine).join('\n'))
}

/** Bundles the files of a description that was linted before. @throws {Error} Like `readDescription` */
export async function bundleDescription(file: string): Promise<OpenApiDocument> {
  const config = await readRules(join(dirname(file), 'redocly.yaml'))
  const result = await bundle({ ref: file, config })
  if (result.problems.length) throw new Error(result.problems.map(problemLine).join('\n'))
  const document = withNumberFormats(result.bundle.parsed) as OpenApiDocument
  const endless = endlessParts(document)
  if (endless.length) throw new Error(endless.join('\n'))
  return document
}

/** Requires a size for numbers: without it, client generators choose 32 bits, or text. */
function withNumberFormats(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withNumberFormats)
  if (typeof part !== 'object' || part === null) return part
  const fields = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, isData(key) ? value : withNumberFormats(value)]),
  )
  const format = 'format' in fields ? undefined : formatOf(fields['type'])
  return format === undefined ? fields : { ...fields, format }
}

const isData = (key: string) => ['example', 'examples', 'default', 'enum', 'const'].includes(key)

function formatOf(type: unknown): string | undefined {
  const types = (Array.isArray(type) ? type : [type]).filter((each) => each !== 'null')
  if (types.length !== 1) return undefined
  return types[0] === 'integer' ? 'int64' : types[0] === 'number' ? 'double' : undefined
}

async function readRules(file: string): Promise<Config> {
  const rules = parse(await readFile(file, 'utf8')) as { rules?: object }
  return createConfig(
    { ...rules, plugins: [plugin], rules: { ...rules.rules, 'generator/generatable': 'error' } },
    { configPath: file },
  )
}

function problemLine({ location: [place], message, ruleId }: NormalizedProblem): string {
  if (!place) return `${message} (${ruleId})`
  const { source, start } = getLineColLocation(place)
  return `${relative(process.cwd(), source.absoluteRef)}:${start.line}:${start.col}: ${message} (${ruleId})`
}

/** Returns lists and maps of request bodies without a limit, with their location: `#/components/schemas/Order/properties/ids: …`. */
function endlessParts(document: OpenApiDocument): readonly string[] {
  const seen = new Set<Schema>()
  const found: string[] = []
  const visit = (schema: Schema, place: string): void => {
    if (schema.$ref) return visit(resolve<Schema>(document, { $ref: schema.$ref }), schema.$ref)
    if (seen.has(schema)) return
    seen.add(schema)
    found.push(...faultsOf(schema).map((fault) => `${place}: ${fault}`))
    for (const [name, inner] of Object.entries(schema.properties ?? {}))
      visit(inner, `${place}/properties/${name}`)
    if (schema.items) visit(schema.items, `${place}/items`)
    if (typeof schema.additionalProperties === 'object')
      visit(schema.additionalProperties, `${place}/additionalProperties`)
    for (const [n, inner] of [...(schema.oneOf ?? []), ...(schema.allOf ?? [])].entries())
      visit(inner, `${place}/${n}`)
  }
  for (const { id, operation } of operationsOf(document)) {
    const body = operation.requestBody && resolve<RequestBody>(document, operation.requestBody)
    for (const [type, { schema }] of Object.entries(body?.content ?? {}))
      if (schema) visit(schema, `${id} ${type}`)
  }
  return found
}

function faultsOf(schema: Schema): readonly string[] {
  const faults: string[] = []
  if (typesOf(schema).includes('array') && schema.maxItems === undefined)
    faults.push('an array of a request needs "maxItems"')
  const open = schema.additionalProperties !== undefined && schema.additionalProperties !== false
  if (open && (schema.maxProperties === undefined || schema.propertyNames?.maxLength === undefined))
    faults.push('a map of a request needs "maxProperties", and "maxLength" of its "propertyNames"')
  return faults
}
