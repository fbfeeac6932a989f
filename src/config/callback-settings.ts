import { FASTEST_PACE, SLOWEST_PACE } from '../lib/text/duration.ts'
import { callbackShapes, retryProfiles } from '../service/vocabulary/terms.ts'
import * as read from './readers.ts'
import { named } from './setting.ts'

export const callbackSettings = named({
  callbackShape: {
    about: 'The shape of callback bodies. `nested` is for older integrations.',
    reads: read.oneOf(...callbackShapes),
    fallback: 'flat',
  },
  signatures: {
    about:
      'The signature profiles of callbacks (docs/signatures.md), such as `standard,stripe`, or `none`. A JSON list may also contain `custom` profiles.',
    reads: read.text,
    fallback: 'standard',
  },
  signingSecret: {
    about:
      'The signing secret of the default world: `whsec_` and the base64 of 24 to 64 bytes. Other worlds derive their secrets from it. By default the public secret of docs/signatures.md, or in hosted mode a secret derived from the API password and the admin token.',
    reads: read.text,
    secret: true,
  },
  retryProfile: {
    about: 'The retry schedule for failed callbacks.',
    reads: read.oneOf(...retryProfiles),
    fallback: 'sandbox',
  },
  retrySpeed: {
    about: 'Divides the delays between retries, 0.001 to 1000000. With 3600, 72 hours take 72 seconds.',
    reads: read.factor(SLOWEST_PACE, FASTEST_PACE),
    fallback: '1',
  },
  retryJitter: {
    about: 'Whether to vary each retry delay randomly by up to 10 %.',
    reads: read.onOrOff,
    fallback: 'on',
  },
  traceContext: {
    about:
      'Which callbacks have a `traceparent` header: `propagate` for those whose payment request had one, `always` for all.',
    reads: read.oneOf('propagate', 'always'),
    fallback: 'propagate',
  },
  callbackTimeout: {
    about: 'How long a receiver may take to respond to a callback.',
    reads: read.durationWithin({ least: 1, most: 30_000 }),
    fallback: '10s',
  },
  callbackPorts: {
    about:
      'Allowed ports of callback addresses, such as 443,8443, or `*`. By default all in local mode; 80, 443, 8080 and 8443 in hosted mode.',
    reads: read.ports,
  },
  callbackTargets: {
    about:
      'Allowed callback targets: any address, public addresses, or only receivers that were verified for the world (docs/receive-callbacks.md).',
    reads: read.oneOf('any', 'public', 'verified'),
    fallback: 'any',
    hosted: 'public',
  },
  maxConnections: {
    about:
      'Maximum number of concurrent connections for callbacks. One world gets a quarter of them; further callbacks wait.',
    reads: read.wholeNumber(1, 100_000),
    fallback: '512',
  },
  callbackRewrite: {
    about:
      'Replaces hosts in callback addresses, such as `localhost=host.docker.internal,shop.test:443=127.0.0.1:8443`. An entry for `localhost` also applies to 127.0.0.1, ::1 and 0.0.0.0. `none` turns off the automatic rewriting in containers.',
    reads: read.text,
  },
  inContainer: {
    about:
      'Whether the sandbox runs in a container; detected by default. If so, callbacks to `localhost` that are refused in the container are sent to `host.docker.internal`.',
    reads: read.onOrOff,
  },
})

export const mailSettings = named({
  smtpUrl: {
    about: 'An SMTP server that receives all mails, such as smtp://127.0.0.1:1025.',
    reads: read.smtpUrl,
    secret: true,
  },
  mailFrom: {
    about: 'The sender of mails by SMTP.',
    reads: read.text,
    fallback: 'Payments Sandbox <no-reply@sandbox.example>',
  },
  mailDomains: {
    about:
      'Domains and addresses that may receive mails by SMTP, or `*`. By default all in local mode; in hosted mode only those of people who sign up.',
    reads: read.recipients,
  },
  mailLinks: {
    about:
      'Allowed origins of links in mails sent by SMTP, or `*`. By default all in local mode, only `SANDBOX_PUBLIC_URL` in hosted mode.',
    reads: read.origins,
  },
})
