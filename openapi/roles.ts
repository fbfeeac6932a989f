import { type OpenApiDocument, type Route, operationsOf } from './document.ts'
import { formatted } from './formatted.ts'

/** Whose key may call an operation: by the role of its user, strongest first; `none` is a user without any. */
export const roles = ['owner', 'admin', 'finance', 'viewer', 'none'] as const

/** Who may call what steers the process. */
export const OPERATOR = 'operator'

/**
 * The roles that an operation is for.
 * @throws Error when it does not say so in `x-allowed-roles`, or with words that are none
 */
export function rolesOf({ id, operation }: Route): readonly string[] {
  const allowed = operation['x-allowed-roles']
  const known: readonly string[] = [...roles, OPERATOR]
  if (!allowed?.length || !allowed.every((role) => known.includes(role)))
    throw new Error(
      `${id} must say in x-allowed-roles whose keys may call it: one or more of ${known.join(', ')}, got ${JSON.stringify(allowed)}`,
    )
  return allowed
}

const begin = '<!-- roles: written by npm run generate -->'
const end = '<!-- /roles -->'

/** `page` with the table of operations and roles of these descriptions between its markers. */
export async function withRolesTable(page: string, documents: readonly OpenApiDocument[]): Promise<string> {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`The page needs the lines ${begin} and ${end}, in this order`)
  const table = await formatted('table.md', documents.map(tableOf).join('\n'))
  return `${page.slice(0, from + begin.length)}\n\n${table}\n${page.slice(to)}`
}

function tableOf(document: OpenApiDocument): string {
  const rows = operationsOf(document)
    .filter((route) => !rolesOf(route).includes(OPERATOR))
    .map((route) => {
      const allowed = rolesOf(route)
      const cells = roles.map((role) => (allowed.includes(role) ? 'yes' : ''))
      return `| ${route.id} | \`${route.method.toUpperCase()} ${route.path}\` | ${cells.join(' | ')} |`
    })
  const head = `| Operation | Where | ${roles.join(' | ')} |\n|${' --- |'.repeat(2 + roles.length)}`
  return `${head}\n${rows.join('\n')}\n`
}
