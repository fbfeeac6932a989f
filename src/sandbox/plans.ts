/** Reads the file of plans, which are named sets of limits for worlds. */
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { ProfileError, readChecked } from '../certify/checked-file.ts'
import { ConfigError } from '../config/config.ts'
import { count, duration, type Reader, size, wholeNumber } from '../config/readers.ts'
import { shown } from '../lib/text/shown.ts'
import { oneOf, words } from '../lib/text/word-schemas.ts'
import type { BudgetItem, Plan, Plans } from '../worlds/budget.ts'
import { budgetItems } from '../worlds/limits.ts'

/** A limit that no plan contains, because an open world cannot change it. */
type Fixed = 'request_log'

type Limited = Exclude<BudgetItem, Fixed>

const limited = Object.keys(budgetItems).filter((item): item is Limited => item !== 'request_log')

/** Accepts what the text of a setting may be. */
const value = <Value>({ accepts, read }: Reader<Value>) =>
  z.unknown().transform((given, { issues }): Value => {
    const found = typeof given === 'string' || typeof given === 'number' ? read(String(given)) : undefined
    if (found !== undefined) return found
    issues.push({ code: 'custom', input: given, message: `must be ${accepts}, got ${shown(given)}` })
    return z.NEVER
  })

function planSchema(tokens: readonly string[]) {
  const limits = Object.fromEntries(
    limited.map((item) => [item, value(budgetItems[item].unit === 'bytes' ? size : count).optional()]),
  ) as unknown as { readonly [Item in Limited]: z.ZodOptional<z.ZodType<number>> }
  return words({
    ...limits,
    worlds: value(wholeNumber(0, 1_000)).optional(),
    ttl: value(duration).optional(),
    tokens: z
      .array(oneOf('the name of a token in SANDBOX_SIGN_UP_TOKENS', tokens), { error: 'must be a list' })
      .optional(),
  })
}

const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/

/**
 * @param signUpTokens - The tokens that may give a plan.
 * @throws {ConfigError} With file, line, column and the nearest name for each fault.
 */
export async function readPlansFile(
  file: string,
  signUpTokens: readonly { readonly name: string }[],
): Promise<Plans> {
  const names = signUpTokens.map(({ name }) => name)
  const schema = z
    .record(z.string(), planSchema(names), { error: 'must be a map of plans by name' })
    .check(({ value: plans, issues }) => {
      const given = new Map<string, string>()
      const refuse = (path: readonly PropertyKey[], message: string) =>
        issues.push({ code: 'custom', input: plans, path: [...path], message })
      if (Object.keys(plans).length === 0) refuse([], 'must have a plan, such as team: { requests: 6000 }')
      for (const [name, { tokens = [] }] of Object.entries(plans)) {
        if (!NAME.test(name))
          refuse([name], 'must be named with at most 32 lowercase letters, digits and hyphens')
        for (const [n, token] of tokens.entries()) {
          const other = given.get(token)
          if (other !== undefined)
            refuse([name, 'tokens', n], `${shown(token)} already gives the plan ${other}`)
          given.set(token, name)
        }
      }
    })
  try {
    const plans = await readChecked(file, await readFile(file, 'utf8'), schema)
    return new Map(
      Object.entries(plans).map(([name, { worlds, ttl, tokens = [], ...limits }]): [string, Plan] => [
        name,
        { name, limits, worlds, ttl, tokens },
      ]),
    )
  } catch (error) {
    if (error instanceof ProfileError) throw new ConfigError(`SANDBOX_PLANS: ${error.message}`)
    const { code, message } = error as NodeJS.ErrnoException
    throw new ConfigError(
      `SANDBOX_PLANS: ${file} ${code === 'ENOENT' ? 'does not exist' : `cannot be read: ${message}`}`,
    )
  }
}
