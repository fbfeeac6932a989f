/** Checks of the secrets: a sandbox for strangers needs passwords and tokens that no documentation contains. */
import { UNNAMED_TOKEN } from '../service/vocabulary/terms.ts'
import * as schemas from './schemas.ts'

/** Characters, of an API password and of the token of `/__admin`. */
const LEAST_PASSWORD = 12
const LEAST_TOKEN = 16
/** The passwords that the documentation tells. */
const PUBLIC = ['demo', 'viewer']

const REMEDY = 'take what `openssl rand -base64 24` prints'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * What is wrong with the secrets of the environment, a line each and none of them shown; nothing in local mode.
 * @param ownKeys the API keys are those of a seed, which `keyIssues` looks at
 */
export function hostedIssues(env: Environment, ownKeys: boolean): readonly string[] {
  if (env['SANDBOX_MODE'] !== 'hosted') return []
  const { SANDBOX_ADMIN_TOKEN: token, SANDBOX_API_PASSWORD: password, SANDBOX_VIEWER_PASSWORD: viewer } = env
  const weakPassword = weakness(password, LEAST_PASSWORD)
  const weakViewer = viewer ? weakness(viewer, LEAST_PASSWORD) : undefined
  const weakToken = weakness(token, LEAST_TOKEN)
  const needs = (variable: string, weak: string, least: number) =>
    `${variable} ${weak}; SANDBOX_MODE "hosted" needs one of at least ${least} characters: ${REMEDY}`
  return [
    ...(weakPassword && !ownKeys
      ? [
          `${needs('SANDBOX_API_PASSWORD', weakPassword, LEAST_PASSWORD)}, or name a seed file whose API keys have such passwords in SANDBOX_SEED_FILE`,
        ]
      : []),
    ...(weakViewer && !ownKeys ? [needs('SANDBOX_VIEWER_PASSWORD', weakViewer, LEAST_PASSWORD)] : []),
    ...(viewer && viewer === password && !ownKeys
      ? ['SANDBOX_VIEWER_PASSWORD is that of SANDBOX_API_PASSWORD; who may only read needs one of its own']
      : []),
    ...(env['SANDBOX_CORS_ORIGINS']?.trim() === '*'
      ? [
          'SANDBOX_CORS_ORIGINS "*" lets every page in; SANDBOX_MODE "hosted" takes none, or a list of origins such as https://docs.example',
        ]
      : []),
    ...(weakToken ? [needs('SANDBOX_ADMIN_TOKEN', weakToken, LEAST_TOKEN)] : []),
  ]
}

/** The same of the keys of a seed. @param from where the seed comes from, such as the path of its file */
export function keyIssues(
  keys: readonly { readonly username: string; readonly password: string }[],
  from: string,
): readonly string[] {
  return keys.flatMap(({ username, password }) => {
    const weak = weakness(password, LEAST_PASSWORD)
    return weak
      ? [
          `${from}: the password of the API key ${username} ${weak}; SANDBOX_MODE "hosted" needs one of at least ${LEAST_PASSWORD} characters: ${REMEDY}`,
        ]
      : []
  })
}

function weakness(secret: string | undefined, least: number): string | undefined {
  if (!secret) return 'is not set'
  if (PUBLIC.includes(secret)) return 'is one that the documentation tells'
  return secret.length < least ? `has ${secret.length} characters` : undefined
}

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
