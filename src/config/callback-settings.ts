import { FASTEST_PACE, SLOWEST_PACE } from '../lib/text/duration.ts'
import { callbackShapes, retryProfiles } from '../service/vocabulary/terms.ts'
import * as schemas from './schemas.ts'
import type { Setting } from './setting.ts'

export const callbackSettings = {
  callbackShape: {
    variable: 'SANDBOX_CALLBACK_SHAPE',
    about: 'The shape of callback bodies. `nested` is for older integrations.',
    schema: () => schemas.oneOf(...callbackShapes),
    fallback: 'flat',
  },
  signatures: {
    variable: 'SANDBOX_SIGNATURES',
    about:
      'The signature profiles of callbacks (docs/signatures.md), such as `standard,stripe`, or `none`. A JSON list may also contain `custom` profiles.',
    schema: schemas.text,
    fallback: 'standard',
  },
  signingSecret: {
    variable: 'SANDBOX_SIGNING_SECRET',
    about:
      'The signing secret of the default world: `whsec_` and the base64 of 24 to 64 bytes. Other worlds derive their secrets from it. By default the public secret of docs/signatures.md, or in hosted mode a secret derived from the API password and the admin token.',
    schema: schemas.text,
    fallback: null,
    secret: true,
  },
  retryProfile: {
    variable: 'SANDBOX_RETRY_PROFILE',
    about: 'The retry schedule for failed callbacks.',
    schema: () => schemas.oneOf(...retryProfiles),
    fallback: 'sandbox',
  },
  retrySpeed: {
    variable: 'SANDBOX_RETRY_SPEED',
    about: 'Divides the delays between retries, 0.001 to 1000000. With 3600, 72 hours take 72 seconds.',
    schema: () => schemas.factor(SLOWEST_PACE, FASTEST_PACE),
    fallback: '1',
  },
  retryJitter: {
    variable: 'SANDBOX_RETRY_JITTER',
    about: 'Whether to vary each retry delay randomly by up to 10 %.',
    schema: schemas.onOrOff,
    fallback: 'on',
  },
  traceContext: {
    variable: 'SANDBOX_TRACE_CONTEXT',
    about:
      'Which callbacks have a `traceparent` header: `propagate` for those whose payment request had one, `always` for all.',
    schema: () => schemas.oneOf('propagate', 'always'),
    fallback: 'propagate',
  },
  callbackTimeout: {
    variable: 'SANDBOX_CALLBACK_TIMEOUT',
    about: 'How long a receiver may take to respond to a callback.',
    schema: () => schemas.durationWithin({ least: 1, most: 30_000 }),
    fallback: '10s',
  },
  callbackPorts: {
    variable: 'SANDBOX_CALLBACK_PORTS',
    about:
      'Allowed ports of callback addresses, such as 443,8443, or `*`. By default all in local mode; 80, 443, 8080 and 8443 in hosted mode.',
    schema: schemas.ports,
    fallback: null,
  },
  callbackTargets: {
    variable: 'SANDBOX_CALLBACK_TARGETS',
    about:
      'Allowed callback targets: any address, public addresses, or only receivers that were verified for the world (docs/receive-callbacks.md).',
    schema: () => schemas.oneOf('any', 'public', 'verified'),
    fallback: 'any',
    hosted: 'public',
  },
  maxConnections: {
    variable: 'SANDBOX_MAX_CONNECTIONS',
    about:
      'Maximum number of concurrent connections for callbacks. One world gets a quarter of them; further callbacks wait.',
    schema: () => schemas.wholeNumber(1, 100_000),
    fallback: '512',
  },
  callbackRewrite: {
    variable: 'SANDBOX_CALLBACK_REWRITE',
    about:
      'Replaces hosts in callback addresses, such as `localhost=host.docker.internal,shop.test:443=127.0.0.1:8443`. An entry for `localhost` also applies to 127.0.0.1, ::1 and 0.0.0.0. `none` turns off the automatic rewriting in containers.',
    schema: schemas.text,
    fallback: null,
  },
  inContainer: {
    variable: 'SANDBOX_IN_CONTAINER',
    about:
      'Whether the sandbox runs in a container; detected by default. If so, callbacks to `localhost` that are refused in the container are sent to `host.docker.internal`.',
    schema: schemas.onOrOff,
    fallback: null,
  },
} as const satisfies Record<string, Setting>

export const mailSettings = {
  smtpUrl: {
    variable: 'SANDBOX_SMTP_URL',
    about: 'An SMTP server that receives all mails, such as smtp://127.0.0.1:1025.',
    schema: schemas.smtpUrl,
    fallback: null,
    secret: true,
  },
  mailFrom: {
    variable: 'SANDBOX_MAIL_FROM',
    about: 'The sender of mails by SMTP.',
    schema: schemas.text,
    fallback: 'Payments Sandbox <no-reply@sandbox.example>',
  },
  mailDomains: {
    variable: 'SANDBOX_MAIL_DOMAINS',
    about:
      'Domains and addresses that may receive mails by SMTP, or `*`. By default all in local mode; in hosted mode only those of people who sign up.',
    schema: schemas.recipients,
    fallback: null,
  },
  mailLinks: {
    variable: 'SANDBOX_MAIL_LINKS',
    about:
      'Allowed origins of links in mails sent by SMTP, or `*`. By default all in local mode, only `SANDBOX_PUBLIC_URL` in hosted mode.',
    schema: schemas.origins,
    fallback: null,
  },
} as const satisfies Record<string, Setting>
