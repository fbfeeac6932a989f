import { examplesOf, whoCalls } from '../operations/catalogue.ts'
import { operationsOf, type Operation, parametersOf, type Part, resolve } from '../viewer/description.ts'
import { receiverHere } from '../viewer/for-this-sandbox.ts'
import type { Guide } from '../../worlds/guide.ts'

/**
 * Renders the operations of a description as an HTTP file (JetBrains IDEs, REST Client for VS Code), each
 * with its first successful example, in an order in which all of them succeed.
 */
export function httpFile(description: Part, base: string, { username, password }: Pick<Guide, 'username' | 'password'>): string {
  const operations = operationsOf(description.paths)
  const sorted = operations.toSorted((a, b) => rankOf(a) - rankOf(b))
  const head = [
    `# ${description.info.title}`,
    '# Every operation with an example, for JetBrains IDEs and the REST Client of VS Code.',
    '',
    `@base = ${base}`,
    `@username = ${username}`,
    `@password = ${password ?? 'the password of the API key'}`,
    ...(sorted.some(({ operation }) => whoCalls(description, operation) === 'admin')
      ? ['@token = SANDBOX_ADMIN_TOKEN']
      : []),
  ]
  const requests = sorted.map((each) => requestOf(description, each, base))
  return `${[head.join('\n'), ...requests].join('\n\n')}\n`
}

/** Orders creating requests before reading ones, and those that delete or replace last. */
function rankOf({ method, operation }: Operation): number {
  if (method === 'delete' || /shutdown|importWorld/i.test(operation.operationId)) return 2
  return operation.operationId === 'getTransactionStatus' ? 1 : 0
}

/**
 * The generated reference of a payment in the examples. The caller's own reference works in every sandbox.
 */
const GIVEN = /("request_id": )"[^"]*"/
const OWN = '$1"order-1042"'

function requestOf(description: Part, found: Operation, base: string): string {
  const { path, method, operation } = found
  const example = examplesOf(description, found).find(({ status }) => status.startsWith('2'))
  const [type, content] =
    Object.entries<Part>(resolve(description, operation.requestBody)?.content ?? {})[0] ?? []
  const value = example?.body ?? Object.values<Part>(content?.examples ?? {})[0]?.value
  const lines = [
    `### ${operation.summary}`,
    `# @name ${operation.operationId}`,
    `${method.toUpperCase()} {{base}}${addressOf(path, parametersOf(description, found), example?.name)}`,
    ...credentials[whoCalls(description, operation)],
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
  ]
  if (value === undefined) return lines.join('\n')
  const body = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return [...lines, '', receiverHere(body, base).replace(GIVEN, OWN)].join('\n')
}

function addressOf(path: string, parameters: readonly Part[], example = ''): string {
  const valueOf = ({ examples, example: only }: Part) =>
    examples?.[example]?.value ?? only ?? Object.values<Part>(examples ?? {})[0]?.value
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(valueOf(parameters.find((each) => each.name === name)) ?? '')),
  )
  const asked = parameters.filter(
    (each) => each.in === 'query' && (each.required || each.examples?.[example] !== undefined),
  )
  const query = asked.map((each) => `${each.name}=${encodeURIComponent(String(valueOf(each)))}`)
  return filled + (query.length > 0 ? `?${query.join('&')}` : '')
}

const credentials = {
  admin: ['Authorization: Bearer {{token}}'],
  world: ['Authorization: Basic {{username}} {{password}}'],
  nobody: [],
} as const
