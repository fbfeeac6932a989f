/** Checks the secrets of a hosted sandbox, which must not be documented ones. */
import { UNNAMED_TOKEN } from '../service/vocabulary/terms.ts'
import { namedTokens } from './readers.ts'
import type { Environment } from './setting.ts'

/** Minimum lengths of an API password and of the token of `/__admin`. */
const LEAST_PASSWORD = 12
const LEAST_TOKEN = 16
/** The documented passwords. */
const PUBLIC = ['demo', 'viewer']

/** Minimum number of different characters. */
const LEAST_DIFFERENT = 6

const needed = (least: number) =>
  `SANDBOX_MODE "hosted" needs one of at least ${least} characters, ${LEAST_DIFFERENT} of them different, that is no repeated text, no row of keys ` +
  'or letters, and not made of the user name: use the output of `openssl rand -base64 24`'

/**
 * Returns a line for each invalid secret, without showing it; none in local mode.
 * @param ownKeys - Whether a seed contains the API keys, which `keyIssues` checks.
 */
export function hostedIssues(env: Environment, ownKeys: boolean): readonly string[] {
  if (env['SANDBOX_MODE'] !== 'hosted') return []
  const { SANDBOX_ADMIN_TOKEN: token, SANDBOX_API_PASSWORD: password, SANDBOX_VIEWER_PASSWORD: viewer } = env
  const weakPassword = weakness(password, LEAST_PASSWORD, env['SANDBOX_API_USERNAME'] || 'demo')
  const weakViewer = viewer ? weakness(viewer, LEAST_PASSWORD, 'viewer') : undefined
  const weakToken = weakness(token, LEAST_TOKEN)
  const needs = (variable: string, weak: string, least: number) => `${variable} ${weak}; ${needed(least)}`
  return [
    weakPassword &&
      !ownKeys &&
      `${needs('SANDBOX_API_PASSWORD', weakPassword, LEAST_PASSWORD)}, or set SANDBOX_SEED_FILE to a seed file with such passwords`,
    weakViewer && !ownKeys && needs('SANDBOX_VIEWER_PASSWORD', weakViewer, LEAST_PASSWORD),
    viewer &&
      viewer === password &&
      !ownKeys &&
      'SANDBOX_VIEWER_PASSWORD is the same as SANDBOX_API_PASSWORD; the read-only key needs a different password',
    token &&
      token === password &&
      !ownKeys &&
      'SANDBOX_ADMIN_TOKEN is the same as SANDBOX_API_PASSWORD; an API key must not administer the sandbox: choose another token',
    env['SANDBOX_CORS_ORIGINS']?.trim() === '*' &&
      'SANDBOX_CORS_ORIGINS "*" allows every page; SANDBOX_MODE "hosted" accepts none, or a list of origins such as https://docs.example',
    weakToken && needs('SANDBOX_ADMIN_TOKEN', weakToken, LEAST_TOKEN),
  ].flatMap((issue) => issue || [])
}

/** The same for the API keys of a seed. @param from - The source of the seed, such as the path of its file. */
export function keyIssues(
  keys: readonly { readonly username: string; readonly password: string }[],
  from: string,
): readonly string[] {
  return keys.flatMap(({ username, password }) => {
    const weak = weakness(password, LEAST_PASSWORD, username)
    return weak ? [`${from}: the password of the API key ${username} ${weak}; ${needed(LEAST_PASSWORD)}`] : []
  })
}

function weakness(secret: string | undefined, least: number, username = ''): string | undefined {
  if (!secret) return 'is not set'
  if (PUBLIC.includes(secret)) return 'is a documented one'
  if (secret.length < least) return `has ${secret.length} characters`
  const text = secret.toLowerCase()
  const different = new Set(text).size
  if (different < LEAST_DIFFERENT)
    return `has only ${different} different ${different === 1 ? 'character' : 'characters'}`
  // A text that repeats itself occurs in its double before the second half.
  if ((text + text).indexOf(text, 1) < text.length) return 'repeats a shorter text'
  if (runsAlongRows(text)) return 'follows the keyboard or the alphabet'
  const name = username.toLowerCase()
  return name && text.replaceAll(name, '').length <= least / 2 ? 'is made of the user name' : undefined
}

/** Rows of letters and keys; a digit row may start again. */
const rows = '12345678901234567890 abcdefghijklmnopqrstuvwxyz qwertyuiopasdfghjklzxcvbnm'

/** Whether most characters follow their neighbour in a row, in either direction. */
function runsAlongRows(text: string): boolean {
  const pairs = Array.from({ length: text.length - 1 }, (_, n) => text.slice(n, n + 2))
  const following = pairs.filter((pair) => rows.includes(pair) || rows.includes(pair[1]! + pair[0]!))
  return following.length > pairs.length / 2
}

/** Returns a line for each ambiguous token, without showing it. */
export function adminTokenIssues(env: Environment): readonly string[] {
  const { SANDBOX_ADMIN_TOKEN: unnamed, SANDBOX_ADMIN_TOKENS: text } = env
  if (!text) return []
  const named = namedTokens.read(text) ?? []
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
