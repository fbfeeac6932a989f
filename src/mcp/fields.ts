/** Parts that the inputs and answers of several tools have. */
import * as z from 'zod'

/** Most items of a list in one answer; a reader that is given more reads less of it. */
const MOST = 50

export const limit = z
  .int()
  .min(1)
  .max(MOST)
  .default(10)
  .describe(`How many at most, newest first; 1 to ${MOST}.`)

export const reference = z
  .string()
  .min(1)
  .max(255)
  .describe('Any identifier of the payment: one that the service answered, or your own reference.')

export const scenarioName = z
  .string()
  .min(1)
  .max(100)
  .describe('The name of a scenario, such as payer-cancels; the tool scenarios lists them.')

export const duration = z.string().max(40)

/** Something that the sandbox's own API answers, as its description has it. */
export const described = (what: string) => z.record(z.string(), z.unknown()).describe(what)

/** A list of the same. */
export const listOf = (what: string) => z.array(z.record(z.string(), z.unknown())).describe(what)
