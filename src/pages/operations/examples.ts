/** Examples of an operation: what is sent, what is answered, one name for both. */
import { resolve, type Part } from '../viewer/description.ts'

/** One request and its answer. */
export interface Example {
  readonly name: string
  readonly summary: string
  readonly status: string
  /** Undefined where nothing is sent. */
  readonly body: unknown
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly value: unknown }[]
  readonly answer: unknown
}

/** Those that are answered alike everywhere are left to the page of all refusals. */
export function examplesOf(description: Part, item: Part, operation: Part): Example[] {
  return Object.entries<Part>(operation.responses)
    .filter(([, response]) => response.$ref === undefined)
    .flatMap(([status, response]) =>
      Object.entries<Part>(contentOf(response)?.examples ?? {}).map(([name, example]) => ({
        name,
        summary: example.summary ?? name,
        status,
        body: contentOf(operation.requestBody)?.examples?.[name]?.value,
        parameters: parametersOf(description, item, operation).flatMap((each) =>
          each.examples?.[name] ? [{ name: each.name, in: each.in, value: each.examples[name].value }] : [],
        ),
        answer: example.value,
      })),
    )
}

/** The parameters of a path and of one of its operations. */
export const parametersOf = (description: Part, item: Part, operation: Part): Part[] =>
  [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((each) => resolve(description, each))

/** JSON where there is some. */
export const contentOf = (part: Part): Part =>
  part?.content?.['application/json'] ?? Object.values<Part>(part?.content ?? {})[0]
