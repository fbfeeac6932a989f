import {
  type OperationResponse,
  type Operation,
  type OperationInput,
  type InputOf,
  requireFilters,
} from './operations.ts'
import type { Transport } from './transport.ts'

/** The operations that return pages of a list. */
type Pages<Field extends string> = {
  [Name in Operation]: OperationResponse<Name> extends { readonly [_ in Field]: readonly unknown[] }
    ? Name
    : never
}[Operation]

type PageOf<Name extends Operation, Field extends string> =
  OperationResponse<Name> extends { readonly [_ in Field]: infer Page } ? Page : never

type ItemOf<Name extends Operation, Field extends string> =
  PageOf<Name, Field> extends readonly (infer Item)[] ? Item : never

/** Returns the parameters of the next page; undefined at the end. */
function nextOf({
  next_before: before,
  next_after: after,
}: Record<string, unknown>): { readonly before?: string | number; readonly after?: string } | undefined {
  if (typeof before === 'number' || typeof before === 'string') return { before }
  return typeof after === 'string' ? { after } : undefined
}

/**
 * Returns all pages of a list, in order.
 * @param field - The field of the response that contains the page.
 * @param given - The other parameters of the operation.
 * @param limit - Items per page.
 */
export async function pagesOf<Field extends string, Name extends Pages<Field>>(
  { call }: Pick<Transport, 'call'>,
  operation: Name,
  field: Field,
  given: InputOf<Name> | object = {},
  limit = 1_000,
): Promise<readonly PageOf<Name, Field>[]> {
  const { query, ...others } = given as { readonly query?: object }
  const pages: PageOf<Name, Field>[] = []
  let next: ReturnType<typeof nextOf> = {}
  for (;;) {
    const input = { ...others, query: { ...query, limit, ...next } }
    const response = await call(operation, ...([input] as unknown as OperationInput<Name>))
    const page = response as unknown as Record<string, unknown>
    pages.push(page[field] as PageOf<Name, Field>)
    next = nextOf(page)
    if (!next) return pages
  }
}

/** Returns all pages of a list as one list. */
export async function listOf<Field extends string, Name extends Pages<Field>>(
  transport: Pick<Transport, 'call'>,
  operation: Name,
  field: Field,
  given?: InputOf<Name>,
  limit?: number,
): Promise<readonly ItemOf<Name, Field>[]> {
  const pages = await pagesOf(transport, operation, field, given, limit)
  return (pages as unknown as readonly (readonly ItemOf<Name, Field>[])[]).flat()
}

/** Returns all items that match a filter. @param caller - The method to name in errors, such as `requests.list`. */
export async function listBy<Field extends string, Name extends Pages<Field>>(
  transport: Pick<Transport, 'call'>,
  caller: string,
  operation: Name,
  field: Field,
  filter: object = {},
  limit?: number,
): Promise<readonly ItemOf<Name, Field>[]> {
  requireFilters(caller, operation, filter)
  return listOf(transport, operation, field, { query: filter }, limit)
}
