import type { z } from 'zod'
import { invalid, type ServiceError } from '../domain/errors.ts'
import { fieldPath } from '../field-path.ts'
import { issuesText, type Telling } from '../validation-messages.ts'

const fieldName: Telling['name'] = (path) => fieldPath(path) || 'the request body'

/**
 * One error for everything that a request's fields have wrong, in the order of the fields.
 * @param error of a parse with `reporting`
 * @param insteadOf the field that was sent in place of a missing one
 */
export const validationError = (error: z.ZodError, insteadOf?: Telling['insteadOf']): ServiceError =>
  invalid(issuesText(error, { name: fieldName, insteadOf }))
