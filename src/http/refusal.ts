import type { z } from 'zod'
import { invalid, type ServiceError } from '../domain/errors.ts'
import { type Wording, wrongValues } from '../wrong-values.ts'

/** So many faults are told of. */
const MOST_TOLD = 50

/**
 * One refusal for everything a request's fields have wrong, in the order of the fields.
 * @param insteadOf the field that was sent in place of a missing one
 */
export function refusal(error: z.ZodError, insteadOf?: Wording['insteadOf']): ServiceError {
  const wrong = wrongValues(error, { whole: 'the request body', insteadOf })
  const told = wrong.slice(0, MOST_TOLD).map(({ message }) => message)
  if (wrong.length > told.length) told.push(`and ${wrong.length - told.length} more`)
  return invalid(told.join('; '))
}
