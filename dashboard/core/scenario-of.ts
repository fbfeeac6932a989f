/** Creates a scenario from a logged request, with the same match and an outcome to edit. */
import type { RecordedRequest } from '../../src/client/types.ts'

const PAYMENTS = ['createCollection', 'createWithdrawal', 'createGlobalPayment']

/** Fields that distinguish requests, the most distinctive first. */
const TELLING = ['phone_number', 'amount', 'account_id', 'country', 'organization_id']

/** @returns a scenario file in YAML */
export function scenarioOf({ id, method, path, operation, status, body, response }: RecordedRequest): string {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const told = TELLING.flatMap((name) => {
    const value = fields[name]
    return typeof value === 'string' || typeof value === 'number'
      ? [`  body.${name}: ${JSON.stringify(value)}`]
      : []
  })
  const others = told.slice(1).map((line) => line.replace('  ', '  # '))
  return [
    `# Created from ${id}: ${method} ${path.replace(/[^ -~]/g, '?')}, answered ${status ?? 'nothing'}.`,
    `title: ${operation ?? 'A request'} like ${id}, with another outcome`,
    'when:',
    ...(operation ? [`  operation: ${operation}`] : []),
    ...told.slice(0, 1),
    ...others,
    'then:',
    `  ${thenOf(operation, status, response)}`,
    '',
  ].join('\n')
}

function thenOf(operation: string | null, status: number | null, response: unknown): string {
  const { error_code, error_message } = (response ?? {}) as Record<string, unknown>
  if ((status ?? 0) >= 400 && typeof error_code === 'string')
    return `respond: { error_code: ${error_code}, error_message: ${JSON.stringify(String(error_message).slice(0, 500))} }`
  if (operation && PAYMENTS.includes(operation))
    return (
      'settle: { after: 3s, status: failed, reason: ' +
      (operation === 'createCollection' ? 'cancelled' : 'operator_error') +
      ' }'
    )
  return 'delay: 5s'
}
