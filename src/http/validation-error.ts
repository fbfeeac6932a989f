import type { z } from 'zod'
import { invalid, type ServiceError } from '../service/domain/errors.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import { issuesText, type Telling } from '../lib/text/validation-messages.ts'

/** What the fields of a request are called in messages. */
export const fieldName: Telling['name'] = (path) => fieldPath(path) || 'the request body'

/**
 * One error for everything that a value of a request has wrong, in the order of its fields.
 * @param error of a parse with `reporting`
 */
export const validationError = (error: z.ZodError): ServiceError =>
  invalid(issuesText(error, { name: fieldName }))
