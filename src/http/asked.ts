import type { Context } from 'hono'
import { invalid } from '../domain/errors.ts'
import { type Facts, factsOf, type Fields, type Sent } from '../domain/facts.ts'
import { PreferenceError, readPreferred } from '../scenarios/prefer.ts'
import type { Asked } from '../scenarios/terms.ts'
import type { Env } from './env.ts'
import { headerIn, headerOf } from './header-in.ts'

/**
 * A checked request as scenarios see it; what nobody asks for is never worked out.
 * @throws ServiceError 400 when a preference has a value that is not accepted
 */
export function askedOf(c: Context<Env>, operation: string, sent: Sent): Asked {
  // The journal keeps what scenarios saw; it must not keep the connection.
  const caller = c.get('caller')
  const { headers } = c.get('entry')
  let facts: Facts | undefined
  const known = () => (facts ??= factsOf(operation, caller, sent))
  const prefer = headerOf(c, 'prefer')
  const alias = headerOf(c, 'x-sandbox-scenario')
  return {
    operation,
    direction: () => known().direction,
    value(field) {
      const dot = field.indexOf('.')
      if (dot < 0) return known()[field as keyof Facts]
      const part = field.slice(0, dot)
      const rest = field.slice(dot + 1)
      return part === 'headers' ? headerIn(headers, rest) : fieldAt(sent[part as keyof Sent], rest.split('.'))
    },
    preferred:
      prefer === undefined && alias === undefined
        ? undefined
        : preferredOf(() => readPreferred(operation, known().direction, prefer, alias)),
  }
}

function preferredOf(read: () => Asked['preferred']): Asked['preferred'] {
  try {
    return read()
  } catch (error) {
    if (error instanceof PreferenceError) throw invalid(error.message)
    throw error
  }
}

function fieldAt(fields: Fields, path: readonly string[]): unknown {
  let value: unknown = fields
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Fields)[name]
  }
  return value
}
