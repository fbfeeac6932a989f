export type AnswerHeaders = Headers | Readonly<Record<string, string | undefined>>

/** What a response of the description says of its headers. */
export interface DescribedHeaders {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>
}

/** @throws when a header is missing that the description requires */
export function requireHeaders(name: string, headers: AnswerHeaders, answer: DescribedHeaders) {
  for (const [header, { required }] of Object.entries(answer.headers ?? {}))
    if (required && headerOf(headers, header) === undefined)
      throw new Error(`${name}: the header ${header} is missing`)
}

/**
 * The media type of an answer.
 * @throws when it is none of the declared
 */
export function requireType(name: string, headers: AnswerHeaders, declared: readonly string[]): string {
  const type = typeOf(headers)
  if (declared.includes(type)) return type
  throw new Error(
    `${name}: content type ${type || '(none)'} is not declared; declared are ${declared.join(', ')}`,
  )
}

/** The media type, without parameters; empty when there is none. */
export const typeOf = (headers: AnswerHeaders) =>
  headerOf(headers, 'content-type')?.split(';')[0]!.trim().toLowerCase() ?? ''

function headerOf(headers: AnswerHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
}
