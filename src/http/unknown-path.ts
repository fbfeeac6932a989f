import { suggest } from '../lib/text/suggest.ts'
import { ServiceError } from '../service/domain/errors.ts'
import { pathPattern } from './route-binding.ts'

interface KnownPath {
  readonly method: string
  /** With `{name}` for parameters. */
  readonly path: string
}

const STATUS_QUERY = 'POST /api/global/transaction-status with request_id'

/** Methods that developers often try on a path, and their replacements. */
const tries: readonly (readonly [request: RegExp, use: string])[] = [
  [/^POST \/api\/v2\/payment_channels$/, 'POST /sandbox/channels, which makes a channel'],
  [/^GET \/api\/v2\/accounts\/./, 'GET /api/v2/account/{account_id}'],
  [/^(PUT|PATCH) \/api\/v2\/accounts?\/./, 'PUT /api/v2/accounts with account_id in the body'],
  [/^DELETE \/api\/v2\/account\/./, 'DELETE /api/v2/accounts/{account_id}'],
  [/^GET \/api\/v2\/accounts$/, 'GET /api/v2/user_profile/{user_id}, which lists the Teams'],
  [/^DELETE \/api\/v2\/accounts$/, 'DELETE /api/v2/accounts/{account_id}'],
  [/^(PUT|PATCH) \/api\/v2\/account_kycs$/, 'PUT /api/v2/account_kycs/{id}'],
  [/^GET \/api\/v2\/account_kycs/, 'GET /sandbox/kyc/{id}; the service has nothing to read KYC back'],
  [
    /^GET \/api\/(v2\/(payments|withdraw)|global\/(payments|transaction-status))$/,
    `${STATUS_QUERY} in the body`,
  ],
  [
    /^POST \/api\/global\/discovery\/payment-world\/country$/,
    'GET with country in the query, such as ?country=KE',
  ],
]

const SWITCH = 'start the sandbox with SANDBOX_EXTENSIONS=on, which serves it'

/**
 * Returns 405 with the methods of a known path, or 404 with the probable path.
 * @param older - paths of the previous API generation
 * @param on - whether those are served
 */
export function unknownPaths(known: readonly KnownPath[], older: readonly KnownPath[] = [], on = false) {
  const paths = patternsOf(on ? [...known, ...older] : known)
  const switched = patternsOf(older)
  return (method: string, path: string): { error: ServiceError; allow: string | undefined } => {
    const fitting = paths.filter((each) => each.matches.test(path))
    const isOff = !on && switched.some((each) => each.method === method && each.matches.test(path))
    const exact = fitting.filter((each) => each.path === path)
    const there = exact.length > 0 ? exact : fitting
    if (there.length > 0) {
      const allow = [...new Set(there.map((each) => each.method))].join(', ')
      const use = tries.find(([request]) => request.test(`${method} ${path}`))?.[1]
      const message = `${method} is not allowed on ${path}; allowed: ${allow}${adviceOf(use, isOff)}`
      return { error: new ServiceError('method_not_allowed', message), allow }
    }
    const message = `path ${path} was not found${adviceOf(hintFor(method, path, paths, on ? switched : []), isOff)}`
    return { error: new ServiceError('resource_not_found', message), allow: undefined }
  }
}

const patternsOf = (known: readonly KnownPath[]): readonly PathPattern[] =>
  known.map(({ method, path }) => ({ method: method.toUpperCase(), path, matches: pathPattern(path) }))

function adviceOf(use: string | undefined, isOff: boolean): string {
  if (use === undefined) return isOff ? `; ${SWITCH}` : ''
  return `; use ${use}${isOff ? `, or ${SWITCH}` : ''}`
}

type PathPattern = KnownPath & { readonly matches: RegExp }

/** Returns the probable path, with its prefix or without a trailing slash, preferably of the same method. */
function hintFor(
  method: string,
  path: string,
  paths: readonly PathPattern[],
  older: readonly PathPattern[],
): string | undefined {
  const bare = path.replace(/\/+/g, '/').replace(/\/$/, '')
  for (const prefix of ['', '/api', '/api/v2', '/api/global']) {
    const meant = paths.filter((each) => each.path !== '/' && each.matches.test(prefix + bare))
    const closest = meant.find((each) => each.method === method) ?? meant[0]
    if (closest) return `${closest.method} ${closest.path}`
  }
  const [guess, use] = foreignPaths.find(([each]) => each.test(bare)) ?? []
  const same = guess && older.find((each) => guess.test(each.path))
  if (same) return `${same.method} ${same.path}`
  return use ?? nearest(method, bare, paths)
}

/** Maximum number of segments that may differ. */
const OTHER_SEGMENTS = 1

/** Returns the most similar path, preferably of the same method; undefined if more than one segment differs. */
function nearest(method: string, path: string, paths: readonly PathPattern[]): string | undefined {
  const segments = path.split('/')
  let best: string | undefined
  let least = OTHER_SEGMENTS * 2 + 1
  for (const each of paths) {
    const apart = distance(segments, each.path.split('/')) * 2 + (each.method === method ? 0 : 1)
    if (apart >= least) continue
    best = `${each.method} ${each.path}`
    least = apart
  }
  return best
}

/** Counts segments that differ; a misspelt one counts half. Infinity if the paths hardly match. */
function distance(segments: readonly string[], path: readonly string[]): number {
  if (segments.length !== path.length) return Infinity
  let sum = 0
  for (const [n, segment] of path.entries()) {
    const sent = segments[n]!
    if (segment === sent || (segment.startsWith('{') && sent !== '')) continue
    if (suggest(sent, [segment]) === undefined) return Infinity
    sum += 0.5
  }
  return sum
}

/**
 * Paths that are not served and their replacements: common guesses, the previous API generation (open-points,
 * "older-generation") and other sandboxes. The first match counts.
 */
const foreignPaths: readonly (readonly [guess: RegExp, use: string])[] = [
  [/\/(initiate[-_])?stk[-_]?push$/, 'POST /api/v2/payments, which sends the prompt to phone_number'],
  [/^\/api\/v2\/(payments|withdraw)\/./, STATUS_QUERY],
  [/^\/api\/global\/payments\/./, STATUS_QUERY],
  [/^\/api\/(v\d|global)\/transactions?(\/|-status|_status|$)/, STATUS_QUERY],
  [
    /^\/api\/(v2\/wallets?|global\/accounts?\/[^/]+\/balances?|v2\/accounts?\/[^/]+\/(balances?|wallets?))$/,
    'GET /api/v2/account/{account_id} for the service wallet, or GET /sandbox/ledger for every balance',
  ],
  [
    /^\/api\/(v2\/)?(top-?up|wallets?\/top-?up)$/,
    'POST /api/v2/payments with network_code, which fills the wallet, or POST /sandbox/teams/{id}/fund, which puts money from outside into it',
  ],
  [
    /^\/api\/v2\/payment_channels?\/./,
    'GET /api/v2/payment_channels, which lists the channels with their ids',
  ],
  [/^\/api\/v2\/(channels?|payment_channel)\b/, 'GET /api/v2/payment_channels'],
  [
    /^\/api\/(v2\/)?(transaction_fees|fees|tariffs?)$/,
    'GET /sandbox/worlds/current, whose settings have the costs',
  ],
  [
    /^\/api\/(v2\/|global\/)?(disbursements?|payouts?)(\/|$)/,
    'POST /api/v2/withdraw in Kenya, or POST /api/global/payments with request_type withdrawal',
  ],
  [
    /^\/api\/(v2\/)?(bank_paybills|banks)$/,
    'POST /api/global/transaction-providers with transaction_channel bank',
  ],
  [
    /^\/api\/(v2\/|global\/)?currency(\/convert)?$/,
    'POST /api/global/payments, whose answer has convertedAmount and rate',
  ],
  [/^\/api\/v2\/account$/, 'POST /api/v2/accounts or GET /api/v2/account/{account_id}'],
  [/^\/api\/v2\/withdrawals?$/, 'POST /api/v2/withdraw'],
  [/^\/api\/v[12]\/(payments?|collections?)$/, 'POST /api/v2/payments'],
  [/^\/api\/v1\/withdraw$/, 'POST /api/v2/withdraw'],
  [/^\/api\/(v\d\/)?global\/(payments?|withdraw(al)?s?)$/, 'POST /api/global/payments'],
  [/^\/api\/v2\/(team|teams)\b/, '/api/v2/accounts and /api/v2/account/{account_id}'],
  [/^\/api\/v2\/(kyc|kycs|account_kyc)\b/, 'POST /api/v2/account_kycs'],
  [/^\/api\/v2\/(invites?|account_invite)$/, 'POST /api/v2/account_invites'],
  [/^\/api\/global\/discovery(\/|$)/, 'GET /api/global/discovery/payment-world/country?country=KE'],
  [/^\/api\/v2\/user_profile$/, 'GET /api/v2/user_profile/{user_id}'],
]
