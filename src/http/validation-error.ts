import type { z } from 'zod'
import { invalid, type ServiceError } from '../domain/errors.ts'
import { type Wording, validationMessage } from '../validation-messages.ts'

/**
 * One refusal for everything a request's fields have wrong, in the order of the fields.
 * @param insteadOf the field that was sent in place of a missing one
 */
export function validationError(error: z.ZodError, insteadOf?: Wording['insteadOf']): ServiceError {
  return invalid(validationMessage(error, { whole: 'the request body', insteadOf }))
}
