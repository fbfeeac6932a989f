import type { Caller } from '../service/domain/context.ts'
import { invalid } from '../service/domain/errors.ts'
import { type Facts, factsOf, type Fields, knownAs, type SentParts } from '../service/domain/facts.ts'
import { PreferenceError, readPreferred } from '../scenarios/prefer.ts'
import type { ScenarioRequest } from '../scenarios/scenario.ts'
import { headerIn } from '../lib/text/header-in.ts'

/**
 * A checked request as scenarios see it; what nobody asks for is never worked out. The same can be made again of what the
 * journal keeps.
 */
export class CheckedScenarioRequest implements ScenarioRequest {
  /** That which scenarios know it by. */
  readonly operation: string
  readonly preferred: ScenarioRequest['preferred']
  readonly #caller: Caller
  readonly #sent: SentParts
  readonly #headers: readonly string[]
  /** The country of the Team that it is about, where that decides something; to be set before anything is asked. */
  home: string | undefined
  #known: Facts | undefined

  /**
   * @param headers names and values in turn
   * @throws ServiceError 400 when a preference has a value that is not accepted
   */
  constructor(operation: string, caller: Caller, sent: SentParts, headers: readonly string[]) {
    this.operation = knownAs(operation)
    this.#caller = caller
    this.#sent = sent
    this.#headers = headers
    this.preferred = this.#readPreferred()
  }

  direction() {
    return this.#facts.direction
  }

  value(field: string): unknown {
    const dot = field.indexOf('.')
    if (dot < 0) return this.#facts[field as keyof Facts]
    const part = field.slice(0, dot)
    const rest = field.slice(dot + 1)
    if (part === 'headers') return headerIn(this.#headers, rest)
    return fieldAt(this.#sent[part as keyof SentParts], rest.split('.'))
  }

  get #facts(): Facts {
    return (this.#known ??= factsOf(this.operation, this.#caller, this.#sent, this.home))
  }

  #readPreferred(): ScenarioRequest['preferred'] {
    const prefer = headerIn(this.#headers, 'prefer')
    const alias = headerIn(this.#headers, 'x-sandbox-scenario')
    if (prefer === undefined && alias === undefined) return undefined
    try {
      return readPreferred(this.operation, this.direction(), prefer, alias)
    } catch (error) {
      if (error instanceof PreferenceError) throw invalid(error.message)
      throw error
    }
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
