/**
 * Holds answers and callback bodies to the description, independently of the code made of it: JSON Schema instead of
 * zod. Objects are closed: a field that is not described is an error, unless the schema says `additionalProperties`.
 */
import { readFileSync } from 'node:fs'
import type { OpenApiDocument } from '../../openapi/document.ts'
import { type AnswerHeaders, requireHeaders, requireType, typeOf } from './answer-headers.ts'
import { jsonSchemas } from './json-schemas.ts'
import {
  type Asked,
  callbackSchemas,
  declaredAnswer,
  type DescribedOperation,
  isHead,
  operationFinder,
} from './operations.ts'

export interface Contract {
  /**
   * Holds an answer to what its operation declares, or, when the request has no operation, to the Error schema.
   * @param body the parsed JSON, or the text of another content type; ignored after HEAD
   * @throws Error in plain words: undeclared status, content type or field, a body that does not match
   */
  checkAnswer(asked: Asked, status: number, headers: AnswerHeaders, body: unknown): void
  /** The same for a whole response, whose body stays readable. */
  checkResponse(asked: Asked, response: Response): Promise<void>
  /** Holds a callback body (parsed JSON) to the callbacks of an operation, or of any when none is named. */
  checkCallback(body: unknown, operationId?: string): void
}

const errorSchema = { $ref: '#/components/schemas/Error' }

/** The contract of documents whose operation ids are unique; the first has the schema `Error`. */
export function contractOf(documents: readonly OpenApiDocument[]): Contract {
  const operations = operationFinder(documents)
  const errorFaults = jsonSchemas(documents[0]!)

  const checkAnswer: Contract['checkAnswer'] = (asked, status, headers, body) => {
    const operation = typeof asked === 'string' ? operations.byId(asked) : operations.byRequest(asked)
    const name =
      typeof asked !== 'string' && operation ? `${nameOf(asked)} ${operation.route.id}` : nameOf(asked)
    if (!operation && status < 400)
      throw new Error(`${name}: answered ${status}, but no operation is described there`)
    const answer = operation && declaredAnswer(operation, status)
    if (operation && !answer)
      throw new Error(`${name}: status ${status} is not declared; declared are ${statuses(operation)}`)
    if (answer) requireHeaders(name, headers, answer)
    const type = requireType(name, headers, Object.keys(answer?.content ?? { 'application/json': {} }))
    if (isHead(asked)) return
    const schema = answer?.content?.[type]?.schema
    if (operation && schema)
      refuse(`${name}: the body of ${status} does not match the description`, operation.faults(schema, body))
    else refuse(`${name}: the body of ${status} is no Error`, errorFaults(errorSchema, body))
  }

  return {
    checkAnswer,
    async checkResponse(asked, response) {
      const text = await response.clone().text()
      const isJson = typeOf(response.headers).endsWith('json') && !isHead(asked)
      checkAnswer(asked, response.status, response.headers, isJson ? parse(nameOf(asked), text) : text)
    },
    checkCallback(body, operationId) {
      const sending = operationId === undefined ? operations.all : [operations.byId(operationId)]
      const name = operationId ?? 'any operation'
      const faults = sending.flatMap((operation) =>
        callbackSchemas(operation).map((schema) => operation.faults(schema, body)),
      )
      if (!faults.length) throw new Error(`${name} has no callbacks`)
      if (faults.every((list) => list.length))
        refuse(`${name}: the callback body does not match the description`, [...new Set(faults.flat())])
    },
  }
}

let read: { readonly all: Contract; readonly plain: Contract } | undefined

/** Reads the descriptions when a contract is first asked. */
function contracts() {
  if (read) return read
  const documents = ['service', 'control', 'extensions'].map((name) => {
    const file = new URL(`../../src/generated/${name}/openapi.json`, import.meta.url)
    return JSON.parse(readFileSync(file, 'utf8')) as OpenApiDocument
  })
  return (read = { all: contractOf(documents), plain: contractOf(documents.slice(0, 2)) })
}

/** The contract of the service, of the control API and of the API's older generation. */
const contract = () => contracts().all

/** The contract of a sandbox that does not serve the older generation: to it, its paths are none. */
const plainContract = () => contracts().plain

export const checkAnswer: Contract['checkAnswer'] = (...answer) => contract().checkAnswer(...answer)
export const checkPlainAnswer: Contract['checkAnswer'] = (...answer) => plainContract().checkAnswer(...answer)
export const checkResponse: Contract['checkResponse'] = (...answer) => contract().checkResponse(...answer)
export const checkCallback: Contract['checkCallback'] = (...callback) => contract().checkCallback(...callback)

function refuse(what: string, faults: readonly string[]) {
  if (faults.length) throw new Error(`${what}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${name}: the body is no JSON: ${text.slice(0, 200)}`)
  }
}

const statuses = ({ route }: DescribedOperation) => Object.keys(route.operation.responses ?? {}).join(', ')

const nameOf = (asked: Asked) =>
  typeof asked === 'string' ? asked : `${asked.method.toUpperCase()} ${asked.path}`
