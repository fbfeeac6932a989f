import * as read from './readers.ts'
import { type Environment, named } from './setting.ts'

export const signUpSettings = named({
  signUp: {
    about:
      'Who can get a world with `POST /sandbox/sign-up` and at `/sign-up`: anyone, holders of a token, or no one (docs/hosting.md).',
    reads: read.oneOf('open', 'token', 'off'),
    fallback: 'off',
  },
  signUpTokens: {
    about:
      'The tokens for `SANDBOX_SIGN_UP=token`, each with a name, so that they can be revoked individually.',
    reads: read.namedTokens,
    secret: true,
  },
  signUpEmail: {
    about:
      'Whether people sign up with an e-mail address, through which they can replace lost passwords (docs/hosting.md). Without `SANDBOX_SMTP_URL` and `SANDBOX_PUBLIC_URL`, `optional` is `off`.',
    reads: read.oneOf('optional', 'required', 'off'),
    fallback: 'optional',
  },
  signUpSecret: {
    about:
      "The key of links for sign-up and of hashes of e-mail addresses, with at least 16 characters; by default derived from the owner's password and `SANDBOX_ADMIN_TOKEN`.",
    reads: read.text,
    secret: true,
  },
  plans: {
    about: 'A YAML or JSON file with plans, which are named sets of limits for worlds (docs/hosting.md).',
    reads: read.text,
  },
  signUpTtl: {
    about: 'How long a world from a sign-up lives after its last request.',
    reads: read.duration,
    fallback: '7d',
  },
  signUpWorlds: {
    about:
      'Maximum number of worlds of guests and readers. The rest of `SANDBOX_MAX_WORLDS` is reserved for the owner.',
    reads: read.wholeNumber(1, 1_000_000),
    fallback: '5000',
  },
  signUpRate: {
    about: 'Maximum number of sign-ups per hour, and of new worlds for readers per hour.',
    reads: read.count,
    fallback: '300',
  },
  signUpAddressRate: {
    about:
      'Maximum number of sign-ups per hour and address, where an IPv6 network of 64 bits counts as one address.',
    reads: read.count,
    fallback: '5',
  },
  signUpCopies: {
    about: 'Maximum number of further worlds that a guest may create, for example for parallel tests.',
    reads: read.wholeNumber(0, 1_000),
    fallback: '4',
  },
  signUpRows: {
    about: "Maximum memory for the rows of a guest's world, and for its snapshots.",
    reads: read.size,
    fallback: '16MB',
  },
  signUpRequests: {
    about: "Maximum number of requests per minute to a guest's world.",
    reads: read.count,
    fallback: '600',
  },
  signUpCallbacks: {
    about: "Maximum number of callback attempts per minute of a guest's world. Further ones are delayed.",
    reads: read.count,
    fallback: '60',
  },
  readerWorlds: {
    about:
      'Whether readers who try a request on `/docs` or an embedded page without credentials get a world (docs/embedding.md).',
    reads: read.onOrOff,
    fallback: 'off',
  },
  readerTtl: {
    about: "How long a reader's world lives after its last request.",
    reads: read.duration,
    fallback: '1h',
  },
  readerAddressRate: {
    about: 'Maximum number of new worlds for readers per hour and address.',
    reads: read.count,
    fallback: '20',
  },
})

/** Minimum length of the key of links. */
const LEAST_SECRET = 16

export function signUpIssues(env: Environment): readonly string[] {
  const secret = env['SANDBOX_SIGN_UP_SECRET']
  const missing = ['SANDBOX_SMTP_URL', 'SANDBOX_PUBLIC_URL'].filter((name) => !env[name])
  return [
    env['SANDBOX_SIGN_UP'] === 'token' &&
      !env['SANDBOX_SIGN_UP_TOKENS'] &&
      'SANDBOX_SIGN_UP "token" needs SANDBOX_SIGN_UP_TOKENS, such as workshop:<output of `openssl rand -hex 16`>',
    env['SANDBOX_SIGN_UP_EMAIL'] === 'required' &&
      missing.length > 0 &&
      `SANDBOX_SIGN_UP_EMAIL "required" needs ${missing.join(' and ')}`,
    secret &&
      secret.length < LEAST_SECRET &&
      `SANDBOX_SIGN_UP_SECRET has ${secret.length} characters; use the output of \`openssl rand -base64 24\``,
  ].flatMap((issue) => issue || [])
}
