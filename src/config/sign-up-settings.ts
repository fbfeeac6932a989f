/** Whether strangers may have a world of their own, and what such worlds may take. */
import * as schemas from './schemas.ts'
import type { Setting } from './setting.ts'

export const signUpSettings = {
  signUp: {
    variable: 'SANDBOX_SIGN_UP',
    about:
      'Whether strangers get a world of their own by `POST /sandbox/sign-up` and at `/sign-up`: all, those who have a token, or none (docs/hosting.md).',
    schema: () => schemas.oneOf('open', 'token', 'off'),
    fallback: 'off',
  },
  signUpTokens: {
    variable: 'SANDBOX_SIGN_UP_TOKENS',
    about: 'The tokens of `SANDBOX_SIGN_UP=token`, each by a name, so that one can be withdrawn.',
    schema: schemas.namedTokens,
    fallback: null,
    secret: true,
  },
  signUpTtl: {
    variable: 'SANDBOX_SIGN_UP_TTL',
    about: 'How long a world that a stranger signed up for is kept after its last request.',
    schema: schemas.duration,
    fallback: '7d',
  },
  signUpWorlds: {
    variable: 'SANDBOX_SIGN_UP_WORLDS',
    about:
      'How many worlds of strangers and of readers there may be at once; the others of `SANDBOX_MAX_WORLDS` stay for the owner.',
    schema: () => schemas.wholeNumber(1, 1_000_000),
    fallback: '5000',
  },
  signUpRate: {
    variable: 'SANDBOX_SIGN_UP_RATE',
    about: 'How many worlds strangers sign up for in an hour, and readers get, each.',
    schema: schemas.count,
    fallback: '300',
  },
  signUpAddressRate: {
    variable: 'SANDBOX_SIGN_UP_ADDRESS_RATE',
    about: 'How many worlds one address may sign up for in an hour, an IPv6 network of 64 bits for one.',
    schema: schemas.count,
    fallback: '5',
  },
  signUpCopies: {
    variable: 'SANDBOX_SIGN_UP_COPIES',
    about: 'How many further worlds the owner of such a world may have beside it, as for parallel tests.',
    schema: () => schemas.wholeNumber(0, 1_000),
    fallback: '4',
  },
  signUpRows: {
    variable: 'SANDBOX_SIGN_UP_ROWS',
    about: 'How much memory the rows of such a world may take, and its snapshots.',
    schema: schemas.size,
    fallback: '16MB',
  },
  signUpRequests: {
    variable: 'SANDBOX_SIGN_UP_REQUESTS',
    about: 'How many requests a minute such a world takes.',
    schema: schemas.count,
    fallback: '600',
  },
  signUpCallbacks: {
    variable: 'SANDBOX_SIGN_UP_CALLBACKS',
    about: 'How many attempts a minute such a world makes to deliver callbacks; more are made later.',
    schema: schemas.count,
    fallback: '60',
  },
  readerWorlds: {
    variable: 'SANDBOX_READER_WORLDS',
    about:
      'Whether whoever tries a request on `/docs`, or where it is embedded, without credentials gets a world for it (docs/embedding.md).',
    schema: schemas.onOrOff,
    fallback: 'off',
  },
  readerTtl: {
    variable: 'SANDBOX_READER_TTL',
    about: "How long a reader's world is kept after its last request.",
    schema: schemas.duration,
    fallback: '1h',
  },
  readerAddressRate: {
    variable: 'SANDBOX_READER_ADDRESS_RATE',
    about: 'How many worlds the readers at one address get in an hour.',
    schema: schemas.count,
    fallback: '20',
  },
} as const satisfies Record<string, Setting>

/** What is wrong with how strangers are let in, a line each. */
export const signUpIssues = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  env['SANDBOX_SIGN_UP'] === 'token' && !env['SANDBOX_SIGN_UP_TOKENS']
    ? [
        'SANDBOX_SIGN_UP "token" needs SANDBOX_SIGN_UP_TOKENS, such as workshop:<what `openssl rand -hex 16` prints>',
      ]
    : []
