/** Checks the secrets of a hosted sandbox, which must not be documented ones. */
import { UNNAMED_TOKEN } from '../service/vocabulary/terms.ts'
import * as schemas from './schemas.ts'

/** Minimum lengths of an API password and of the token of `/__admin`. */
const LEAST_PASSWORD = 12
const LEAST_TOKEN = 16
/** The documented passwords. */
const PUBLIC = ['demo', 'viewer']

const REMEDY = 'use the output of `openssl rand -base64 24`'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns a line for each invalid secret, without showing it; none in local mode.
 * @param ownKeys - Whether a seed contains the API keys, which `keyIssues` checks.
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
          `${needs('SANDBOX_API_PASSWORD', weakPassword, LEAST_PASSWORD)}, or set SANDBOX_SEED_FILE to a seed file with such passwords`,
        ]
      : []),
    ...(weakViewer && !ownKeys ? [needs('SANDBOX_VIEWER_PASSWORD', weakViewer, LEAST_PASSWORD)] : []),
    ...(viewer && viewer === password && !ownKeys
      ? [
          'SANDBOX_VIEWER_PASSWORD is the same as SANDBOX_API_PASSWORD; the read-only key needs a different password',
        ]
      : []),
    ...(env['SANDBOX_CORS_ORIGINS']?.trim() === '*'
      ? [
          'SANDBOX_CORS_ORIGINS "*" allows every page; SANDBOX_MODE "hosted" accepts none, or a list of origins such as https://docs.example',
        ]
      : []),
    ...(weakToken ? [needs('SANDBOX_ADMIN_TOKEN', weakToken, LEAST_TOKEN)] : []),
  ]
}

/** The same for the API keys of a seed. @param from - The source of the seed, such as the path of its file. */
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
  if (PUBLIC.includes(secret)) return 'is a documented one'
  return secret.length < least ? `has ${secret.length} characters` : undefined
}

/** Returns a line for each ambiguous token, without showing it. */
export function adminTokenIssues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { SANDBOX_ADMIN_TOKEN: unnamed, SANDBOX_ADMIN_TOKENS: text } = env
  if (!text) return []
  const named = schemas.namedTokens().safeParse(text).data ?? []
  return named.flatMap(({ name, token }, n) => {
    const other = token === unnamed ? undefined : named.slice(0, n).find((each) => each.token === token)
    if (name === UNNAMED_TOKEN)
      return [
        `SANDBOX_ADMIN_TOKENS contains the name ${UNNAMED_TOKEN}, which the audit uses for SANDBOX_ADMIN_TOKEN; choose another`,
      ]
    if (token !== unnamed && !other) return []
    return [
      `SANDBOX_ADMIN_TOKENS: ${name} and ${other ? other.name : 'SANDBOX_ADMIN_TOKEN'} have the same token; give each its own, such as the output of \`openssl rand -hex 16\``,
    ]
  })
}
