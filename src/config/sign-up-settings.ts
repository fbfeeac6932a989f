import * as schemas from './schemas.ts'
import type { Setting } from './setting.ts'

export const signUpSettings = {
  signUp: {
    variable: 'SANDBOX_SIGN_UP',
    about:
      'Who can get a world with `POST /sandbox/sign-up` and at `/sign-up`: anyone, holders of a token, or no one (docs/hosting.md).',
    schema: () => schemas.oneOf('open', 'token', 'off'),
    fallback: 'off',
  },
  signUpTokens: {
    variable: 'SANDBOX_SIGN_UP_TOKENS',
    about:
      'The tokens for `SANDBOX_SIGN_UP=token`, each with a name, so that they can be revoked individually.',
    schema: schemas.namedTokens,
    fallback: null,
    secret: true,
  },
  signUpEmail: {
    variable: 'SANDBOX_SIGN_UP_EMAIL',
    about:
      'Whether people sign up with an e-mail address, through which they can replace lost passwords (docs/hosting.md). Without `SANDBOX_SMTP_URL` and `SANDBOX_PUBLIC_URL`, `optional` is `off`.',
    schema: () => schemas.oneOf('optional', 'required', 'off'),
    fallback: 'optional',
  },
  signUpSecret: {
    variable: 'SANDBOX_SIGN_UP_SECRET',
    about:
      "The key of links for sign-up and of hashes of e-mail addresses, with at least 16 characters; by default derived from the owner's password and `SANDBOX_ADMIN_TOKEN`.",
    schema: schemas.text,
    fallback: null,
    secret: true,
  },
  plans: {
    variable: 'SANDBOX_PLANS',
    about: 'A YAML or JSON file with plans, which are named sets of limits for worlds (docs/hosting.md).',
    schema: schemas.text,
    fallback: null,
  },
  signUpTtl: {
    variable: 'SANDBOX_SIGN_UP_TTL',
    about: 'How long a world from a sign-up lives after its last request.',
    schema: schemas.duration,
    fallback: '7d',
  },
  signUpWorlds: {
    variable: 'SANDBOX_SIGN_UP_WORLDS',
    about:
      'Maximum number of worlds of guests and readers. The rest of `SANDBOX_MAX_WORLDS` is reserved for the owner.',
    schema: () => schemas.wholeNumber(1, 1_000_000),
    fallback: '5000',
  },
  signUpRate: {
    variable: 'SANDBOX_SIGN_UP_RATE',
    about: 'Maximum number of sign-ups per hour, and of new worlds for readers per hour.',
    schema: schemas.count,
    fallback: '300',
  },
  signUpAddressRate: {
    variable: 'SANDBOX_SIGN_UP_ADDRESS_RATE',
    about:
      'Maximum number of sign-ups per hour and address, where an IPv6 network of 64 bits counts as one address.',
    schema: schemas.count,
    fallback: '5',
  },
  signUpCopies: {
    variable: 'SANDBOX_SIGN_UP_COPIES',
    about: 'Maximum number of further worlds that a guest may create, for example for parallel tests.',
    schema: () => schemas.wholeNumber(0, 1_000),
    fallback: '4',
  },
  signUpRows: {
    variable: 'SANDBOX_SIGN_UP_ROWS',
    about: "Maximum memory for the rows of a guest's world, and for its snapshots.",
    schema: schemas.size,
    fallback: '16MB',
  },
  signUpRequests: {
    variable: 'SANDBOX_SIGN_UP_REQUESTS',
    about: "Maximum number of requests per minute to a guest's world.",
    schema: schemas.count,
    fallback: '600',
  },
  signUpCallbacks: {
    variable: 'SANDBOX_SIGN_UP_CALLBACKS',
    about: "Maximum number of callback attempts per minute of a guest's world. Further ones are delayed.",
    schema: schemas.count,
    fallback: '60',
  },
  readerWorlds: {
    variable: 'SANDBOX_READER_WORLDS',
    about:
      'Whether readers who try a request on `/docs` or an embedded page without credentials get a world (docs/embedding.md).',
    schema: schemas.onOrOff,
    fallback: 'off',
  },
  readerTtl: {
    variable: 'SANDBOX_READER_TTL',
    about: "How long a reader's world lives after its last request.",
    schema: schemas.duration,
    fallback: '1h',
  },
  readerAddressRate: {
    variable: 'SANDBOX_READER_ADDRESS_RATE',
    about: 'Maximum number of new worlds for readers per hour and address.',
    schema: schemas.count,
    fallback: '20',
  },
} as const satisfies Record<string, Setting>

/** Minimum length of the key of links. */
const LEAST_SECRET = 16

export const signUpIssues = (env: Readonly<Record<string, string | undefined>>): readonly string[] => {
  const secret = env['SANDBOX_SIGN_UP_SECRET']
  const missing = ['SANDBOX_SMTP_URL', 'SANDBOX_PUBLIC_URL'].filter((name) => !env[name])
  return [
    ...(env['SANDBOX_SIGN_UP'] === 'token' && !env['SANDBOX_SIGN_UP_TOKENS']
      ? [
          'SANDBOX_SIGN_UP "token" needs SANDBOX_SIGN_UP_TOKENS, such as workshop:<output of `openssl rand -hex 16`>',
        ]
      : []),
    ...(env['SANDBOX_SIGN_UP_EMAIL'] === 'required' && missing.length > 0
      ? [`SANDBOX_SIGN_UP_EMAIL "required" needs ${missing.join(' and ')}`]
      : []),
    ...(secret && secret.length < LEAST_SECRET
      ? [
          `SANDBOX_SIGN_UP_SECRET has ${secret.length} characters; use the output of \`openssl rand -base64 24\``,
        ]
      : []),
  ]
}
