/** What `expect` can never see. */
import type { Issue } from '../validation-messages.ts'
import { requestShape, statusesOf } from './operations.ts'
import type { ExpectationFile, ScenarioFile } from './schema.ts'
import { unknown } from './words.ts'

/** Requests with fields that the operation does not have, and answers that it does not declare. */
export function checkExpect({ expect }: ScenarioFile): Issue[] {
  if (expect === undefined) return []
  return Array.isArray(expect)
    ? expect.flatMap((each, index) => checkOne(['expect', index], each))
    : checkOne(['expect'], expect)
}

function checkOne(path: readonly (string | number)[], { request, answer }: ExpectationFile): Issue[] {
  const { operation, body = {} } = typeof request === 'string' ? { operation: request } : request
  const fields = Object.keys(requestShape(operation, 'body') ?? {})
  const strange = Object.keys(body).filter((field) => !fields.includes(field))
  const status = typeof answer === 'object' ? answer.status : answer
  const declared = statusesOf(operation)
  const undeclared = typeof status === 'number' && !declared.includes(status)
  return [
    ...strange.map((field) => ({
      path: [...path, 'request', 'body', field],
      on_key: true,
      message: unknown(field, `a field of the body of ${operation}`, fields),
    })),
    ...(undeclared
      ? [
          {
            path: [...path, 'answer', ...(typeof answer === 'object' ? ['status'] : [])],
            message: `${operation} does not declare ${status}; it declares ${declared.join(', ')}`,
          },
        ]
      : []),
  ]
}
