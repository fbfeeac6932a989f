import { suggest } from '../lib/text/suggest.ts'
import { ServiceError } from '../service/domain/errors.ts'
import { pathPattern } from './route-binding.ts'

interface KnownPath {
  readonly method: string
  /** With `{name}` for parameters. */
  readonly path: string
}

const lookUp = 'POST /api/global/transaction-status with request_id in the body'

/** Methods that developers often try on a path, and their replacements. */
const tries: readonly { readonly tried: RegExp; readonly use: string }[] = [
  {
    tried: /^POST \/api\/v2\/payment_channels$/,
    use: 'POST /sandbox/channels, which makes a channel',
  },
  { tried: /^GET \/api\/v2\/accounts\/./, use: 'GET /api/v2/account/{account_id}' },
  { tried: /^(PUT|PATCH) \/api\/v2\/accounts?\/./, use: 'PUT /api/v2/accounts with account_id in the body' },
  { tried: /^DELETE \/api\/v2\/account\/./, use: 'DELETE /api/v2/accounts/{account_id}' },
  { tried: /^GET \/api\/v2\/accounts$/, use: 'GET /api/v2/user_profile/{user_id}, which lists the Teams' },
  { tried: /^DELETE \/api\/v2\/accounts$/, use: 'DELETE /api/v2/accounts/{account_id}' },
  { tried: /^(PUT|PATCH) \/api\/v2\/account_kycs$/, use: 'PUT /api/v2/account_kycs/{id}' },
  {
    tried: /^GET \/api\/v2\/account_kycs/,
    use: 'GET /sandbox/kyc/{id}; the service has nothing to read KYC back',
  },
  { tried: /^GET \/api\/(v2\/(payments|withdraw)|global\/(payments|transaction-status))$/, use: lookUp },
  {
    tried: /^POST \/api\/global\/discovery\/payment-world\/country$/,
    use: 'GET with country in the query, such as ?country=KE',
  },
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
      const use = tries.find(({ tried }) => tried.test(`${method} ${path}`))?.use
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
  const foreign = foreignPaths.find(({ guess }) => guess.test(bare))
  const same = foreign && older.find((each) => foreign.guess.test(each.path))
  if (same) return `${same.method} ${same.path}`
  return foreign?.use ?? nearest(method, bare, paths)
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
const foreignPaths: readonly { readonly guess: RegExp; readonly use: string }[] = [
  {
    guess: /\/(initiate[-_])?stk[-_]?push$/,
    use: 'POST /api/v2/payments, which sends the prompt to phone_number',
  },
  { guess: /^\/api\/v2\/(payments|withdraw)\/./, use: 'POST /api/global/transaction-status with request_id' },
  { guess: /^\/api\/global\/payments\/./, use: 'POST /api/global/transaction-status with request_id' },
  {
    guess: /^\/api\/(v\d|global)\/transactions?(\/|-status|_status|$)/,
    use: 'POST /api/global/transaction-status with request_id',
  },
  {
    guess:
      /^\/api\/(v2\/wallets?|global\/accounts?\/[^/]+\/balances?|v2\/accounts?\/[^/]+\/(balances?|wallets?))$/,
    use: 'GET /api/v2/account/{account_id} for the service wallet, or GET /sandbox/ledger for every balance',
  },
  {
    guess: /^\/api\/(v2\/)?(top-?up|wallets?\/top-?up)$/,
    use: 'POST /api/v2/payments with network_code, which fills the wallet, or POST /sandbox/teams/{id}/fund, which puts money from outside into it',
  },
  {
    guess: /^\/api\/v2\/payment_channels?\/./,
    use: 'GET /api/v2/payment_channels, which lists the channels with their ids',
  },
  { guess: /^\/api\/v2\/(channels?|payment_channel)\b/, use: 'GET /api/v2/payment_channels' },
  {
    guess: /^\/api\/(v2\/)?(transaction_fees|fees|tariffs?)$/,
    use: 'GET /sandbox/worlds/current, whose settings have the costs',
  },
  {
    guess: /^\/api\/(v2\/|global\/)?(disbursements?|payouts?)(\/|$)/,
    use: 'POST /api/v2/withdraw in Kenya, or POST /api/global/payments with request_type withdrawal',
  },
  {
    guess: /^\/api\/(v2\/)?(bank_paybills|banks)$/,
    use: 'POST /api/global/transaction-providers with transaction_channel bank',
  },
  {
    guess: /^\/api\/(v2\/|global\/)?currency(\/convert)?$/,
    use: 'POST /api/global/payments, whose answer has convertedAmount and rate',
  },
  { guess: /^\/api\/v2\/account$/, use: 'POST /api/v2/accounts or GET /api/v2/account/{account_id}' },
  { guess: /^\/api\/v2\/withdrawals?$/, use: 'POST /api/v2/withdraw' },
  { guess: /^\/api\/v[12]\/(payments?|collections?)$/, use: 'POST /api/v2/payments' },
  { guess: /^\/api\/v1\/withdraw$/, use: 'POST /api/v2/withdraw' },
  { guess: /^\/api\/(v\d\/)?global\/(payments?|withdraw(al)?s?)$/, use: 'POST /api/global/payments' },
  { guess: /^\/api\/v2\/(team|teams)\b/, use: '/api/v2/accounts and /api/v2/account/{account_id}' },
  { guess: /^\/api\/v2\/(kyc|kycs|account_kyc)\b/, use: 'POST /api/v2/account_kycs' },
  { guess: /^\/api\/v2\/(invites?|account_invite)$/, use: 'POST /api/v2/account_invites' },
  {
    guess: /^\/api\/global\/discovery(\/|$)/,
    use: 'GET /api/global/discovery/payment-world/country?country=KE',
  },
  { guess: /^\/api\/v2\/user_profile$/, use: 'GET /api/v2/user_profile/{user_id}' },
]
