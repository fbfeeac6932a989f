/** How callbacks are signed, sent and retried, and where mails are sent. */
import { FASTEST_PACE, SLOWEST_PACE } from '../lib/text/duration.ts'
import * as schemas from './schemas.ts'
import type { Setting } from './setting.ts'

export const callbackSettings = {
  callbackShape: {
    variable: 'SANDBOX_CALLBACK_SHAPE',
    about: 'The shape of callback bodies; `nested` is for older integrations.',
    schema: () => schemas.oneOf('flat', 'nested'),
    fallback: 'flat',
  },
  signatures: {
    variable: 'SANDBOX_SIGNATURES',
    about:
      'How callbacks are signed: one or several profiles of docs/signatures.md, such as `standard,stripe`, or `none`; a JSON list can also hold `custom` ones.',
    schema: schemas.text,
    fallback: 'standard',
  },
  signingSecret: {
    variable: 'SANDBOX_SIGNING_SECRET',
    about:
      'The signing secret of the default world: `whsec_` and the base64 of 24 to 64 bytes; those of other worlds are derived from it. Without it the public one of docs/signatures.md, in hosted mode one derived from the API password and the admin token.',
    schema: schemas.text,
    fallback: null,
    secret: true,
  },
  retryProfile: {
    variable: 'SANDBOX_RETRY_PROFILE',
    about: 'When a callback that failed is tried again.',
    schema: () => schemas.oneOf('sandbox', 'svix', 'standard', 'adyen', 'paystack', 'none'),
    fallback: 'sandbox',
  },
  retrySpeed: {
    variable: 'SANDBOX_RETRY_SPEED',
    about: 'Divides every pause between attempts, 0.001 to 1000000; 3600 makes 72 hours 72 seconds.',
    schema: () => schemas.factor(SLOWEST_PACE, FASTEST_PACE),
    fallback: '1',
  },
  retryJitter: {
    variable: 'SANDBOX_RETRY_JITTER',
    about: 'Whether chance moves each pause by up to 10 % either way.',
    schema: schemas.onOrOff,
    fallback: 'on',
  },
  traceContext: {
    variable: 'SANDBOX_TRACE_CONTEXT',
    about:
      'Whether callbacks carry `traceparent`: `passed` when the request of the payment had one, `begun` always.',
    schema: () => schemas.oneOf('passed', 'begun'),
    fallback: 'passed',
  },
  callbackTimeout: {
    variable: 'SANDBOX_CALLBACK_TIMEOUT',
    about: 'How long a receiver may take to answer a callback.',
    schema: () => schemas.durationWithin({ least: 1, most: 30_000 }),
    fallback: '10s',
  },
  callbackPorts: {
    variable: 'SANDBOX_CALLBACK_PORTS',
    about:
      'The ports that callbacks may go to, such as 443,8443, or `*`; all in local mode, 80, 443, 8080 and 8443 in hosted mode.',
    schema: schemas.ports,
    fallback: null,
  },
  callbackTargets: {
    variable: 'SANDBOX_CALLBACK_TARGETS',
    about:
      'Where callbacks may go: any address, those of the public internet, or, of what the mode allows, receivers that have shown that they want those of the world (docs/receive-callbacks.md).',
    schema: () => schemas.oneOf('any', 'public', 'verified'),
    fallback: 'any',
    hosted: 'public',
  },
  maxConnections: {
    variable: 'SANDBOX_MAX_CONNECTIONS',
    about:
      'How many connections callbacks may have at once; one world has a quarter of them, and what is over waits.',
    schema: () => schemas.wholeNumber(1, 100_000),
    fallback: '512',
  },
  callbackRewrite: {
    variable: 'SANDBOX_CALLBACK_REWRITE',
    about:
      'Other hosts for callback addresses, such as `localhost=host.docker.internal,shop.test:443=127.0.0.1:8443`; that of `localhost` holds for 127.0.0.1, ::1 and 0.0.0.0 too. `none` turns off what a container does by itself.',
    schema: schemas.text,
    fallback: null,
  },
  inContainer: {
    variable: 'SANDBOX_IN_CONTAINER',
    about:
      'Whether it runs in a container: a callback to `localhost` that nothing takes in there is then made to `host.docker.internal`. Found out when left out.',
    schema: schemas.onOrOff,
    fallback: null,
  },
} as const satisfies Record<string, Setting>

export const mailSettings = {
  smtpUrl: {
    variable: 'SANDBOX_SMTP_URL',
    about: 'Where the mails of the outbox are sent too, such as smtp://127.0.0.1:1025.',
    schema: schemas.smtpUrl,
    fallback: null,
    secret: true,
  },
  mailDomains: {
    variable: 'SANDBOX_MAIL_DOMAINS',
    about:
      'The domains and addresses that mails are sent to by SMTP, or `*`; all in local mode, none in hosted mode.',
    schema: schemas.recipients,
    fallback: null,
  },
  mailLinks: {
    variable: 'SANDBOX_MAIL_LINKS',
    about:
      'The origins that links in mails sent by SMTP may have, or `*`; all in local mode, that of `SANDBOX_PUBLIC_URL` alone in hosted mode.',
    schema: schemas.origins,
    fallback: null,
  },
} as const satisfies Record<string, Setting>
