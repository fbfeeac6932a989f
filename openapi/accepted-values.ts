import { servedCountries } from '../src/service/domain/countries/countries.ts'
import { ke, mobileNetworks } from '../src/service/domain/countries/ke.ts'
import { roleIds } from '../src/service/domain/access.ts'
import {
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type PathItem,
  type Reference,
  type RequestBody,
  resolve,
  type Schema,
  type Values,
} from './document.ts'

const HTTP_URL = '[Hh][Tt][Tt][Pp][Ss]?://[^/\\s]\\S*'

/** Rules of the code that a schema can state, by the word of `x-values`. An enum would change the types of generated clients. */
const VALUES: Readonly<Record<Values, Schema>> = {
  countries: { pattern: `^(?:${servedCountries.map(anyCase).join('|')})$` },
  iso_countries: { pattern: '^[A-Za-z]{2}$' },
  roles: { minimum: Math.min(...roleIds), maximum: Math.max(...roleIds) },
  kyc_tiers: { minimum: 1 },
  providers: { pattern: `^(?:${ke.providers.momo.join('|')})$` },
  networks: { pattern: `^(?:${mobileNetworks.map(({ code }) => code).join('|')})$` },
  kenyan_phones: {
    pattern: '^[\\s-]*(?:\\+?[\\s-]*2[\\s-]*5[\\s-]*4|0)[\\s-]*[17](?:[\\s-]*\\d){8}[\\s-]*$',
  },
  http_urls: { pattern: `^${HTTP_URL}$` },
  http_urls_or_empty: { pattern: `^(?:${HTTP_URL})?$` },
  urls: { pattern: '^[A-Za-z][A-Za-z0-9+.-]*:/*[^/\\s]\\S*$' },
}

/** Codes are accepted in upper and lower case. */
function anyCase(code: string): string {
  return code.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`)
}

/** Patterns of the formats that an optional text may have; an empty text has no format. */
const PATTERNS: Readonly<Record<string, string>> = {
  uri: HTTP_URL,
  email: '[^\\s@]+@[^\\s@]+\\.[^\\s@]+',
  'date-time': '\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?:Z|[+-]\\d{2}:\\d{2})',
}

const RANGES = {
  int32: { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  int64: { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
} as const

/**
 * Returns the description with the rules for requests that the code checks outside the schemas: limits of whole numbers, values
 * of tables, and optional texts, which may be empty.
 * @param emptyTexts - whether the API accepts an empty text in an optional field
 */
export function withAcceptedValues(document: OpenApiDocument, emptyTexts: boolean): OpenApiDocument {
  const seen = new Map<string, Schema>()
  const accepted = (schema: Schema, optional = false): Schema => {
    if (schema.$ref !== undefined) {
      if (!seen.has(schema.$ref)) {
        seen.set(schema.$ref, schema)
        seen.set(schema.$ref, accepted(resolve<Schema>(document, { $ref: schema.$ref })))
      }
      return schema
    }
    const own = stated(schema)
    const { properties, items, oneOf, allOf } = own
    return {
      ...(emptyTexts && optional && own.type === 'string' ? orEmpty(own) : inRange(own)),
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, each]) => [
            name,
            accepted(each, !own.required?.includes(name)),
          ]),
        ),
      }),
      ...(items && { items: accepted(items) }),
      ...(oneOf && { oneOf: oneOf.map((each) => accepted(each)) }),
      ...(allOf && { allOf: allOf.map((each) => accepted(each)) }),
    }
  }
  const parameters = (all: readonly (Parameter | Reference)[] | undefined) =>
    all && {
      parameters: all.map((each) =>
        'schema' in each && each.schema ? { ...each, schema: accepted(each.schema) } : each,
      ),
    }
  const body = (sent: RequestBody | Reference | undefined) =>
    sent &&
    'content' in sent && {
      requestBody: {
        ...sent,
        content: Object.fromEntries(
          Object.entries(sent.content ?? {}).map(([type, media]) => [
            type,
            media.schema ? { ...media, schema: accepted(media.schema) } : media,
          ]),
        ),
      },
    }
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries({ ...item, ...parameters(item.parameters) }).map(([method, operation]) => [
          method,
          Array.isArray(operation)
            ? operation
            : {
                ...operation,
                ...parameters((operation as Operation).parameters),
                ...body((operation as Operation).requestBody),
              },
        ]),
      ) as PathItem,
    ]),
  )
  const schemas = Object.fromEntries(
    Object.entries(document.components?.['schemas'] ?? {}).map(([name, schema]) => [
      name,
      seen.get(`#/components/schemas/${name}`) ?? schema,
    ]),
  )
  return {
    ...document,
    paths,
    ...(document.components && { components: { ...document.components, schemas } }),
  }
}

/** Replaces `x-values` with the rule it names. */
const stated = ({ 'x-values': values, ...schema }: Schema): Schema =>
  values === undefined ? schema : { ...schema, ...VALUES[values] }

function inRange(schema: Schema): Schema {
  if (schema.type !== 'integer' || schema.enum) return schema
  const range = RANGES[schema.format as keyof typeof RANGES] ?? RANGES.int64
  return { ...schema, minimum: schema.minimum ?? range.minimum, maximum: schema.maximum ?? range.maximum }
}

function orEmpty(text: Schema): Schema {
  const { format, minLength: _, ...schema } = text
  const form = schema.pattern?.replace(/^\^|\$$/g, '') ?? (format && PATTERNS[format])
  return {
    ...schema,
    ...(format === 'date-time' && { maxLength: 40 }),
    ...(format && PATTERNS[format] === undefined && { format }),
    ...(form && { pattern: `^(?:${form})?$` }),
    ...(schema.enum && { enum: [...schema.enum, ''] }),
  }
}
