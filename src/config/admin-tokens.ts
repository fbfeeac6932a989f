/** What is wrong with who may steer the process. */
import { UNNAMED_TOKEN } from '../service/vocabulary/terms.ts'
import * as schemas from './schemas.ts'

/** A line for each token that says of two who they are; none is shown. */
export function adminTokenIssues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { SANDBOX_ADMIN_TOKEN: unnamed, SANDBOX_ADMIN_TOKENS: text } = env
  if (!text) return []
  const named = schemas.namedTokens().safeParse(text).data ?? []
  return named.flatMap(({ name, token }, n) => {
    const other = token === unnamed ? undefined : named.slice(0, n).find((each) => each.token === token)
    if (name === UNNAMED_TOKEN)
      return [
        `SANDBOX_ADMIN_TOKENS has the name ${UNNAMED_TOKEN}, by which the audit calls SANDBOX_ADMIN_TOKEN; take another`,
      ]
    if (token !== unnamed && !other) return []
    return [
      `SANDBOX_ADMIN_TOKENS: the token of ${name} is that of ${other ? other.name : 'SANDBOX_ADMIN_TOKEN'} too; give each one of its own, such as what \`openssl rand -hex 16\` prints`,
    ]
  })
}
