interface Item {
  readonly unit: 'bytes' | 'concurrent' | 'per_minute' | 'per_day'
  /** The setting with the limit, its description and defaults. */
  readonly variable: string
  readonly about: string
  readonly fallback: string
  readonly hosted: string
  /** How to free some of it; ends the error message. */
  readonly freed_by: string
}

/**
 * The limits of everything that a caller can let grow. Local tests should not notice them; in hosted mode, many callers must fit
 * into one process. Rows of all kinds share one limit in bytes.
 */
export const budgetItems = {
  rows: {
    unit: 'bytes',
    variable: 'SANDBOX_WORLD_ROWS',
    about: "Maximum memory for a world's rows; when it is used up, requests that would add rows get 429.",
    fallback: '1GB',
    // 40,000 settled payments and the last 1,000 callbacks, as many as a test suite may create in a day.
    hosted: '64MB',
    freed_by:
      'free some with DELETE /sandbox/outbox or DELETE /sandbox/scenarios, or all with POST /sandbox/reset',
  },
  inboxes: {
    unit: 'bytes',
    variable: 'SANDBOX_WORLD_INBOXES',
    about: "Maximum memory for the messages in a world's inboxes; the oldest are deleted first.",
    fallback: '64MB',
    // At most 500 messages with bodies of typically 2 KB, and room for larger ones.
    hosted: '8MB',
    freed_by: 'the oldest messages are deleted automatically; DELETE /sandbox/inbox/{name} empties an inbox',
  },
  request_log: {
    unit: 'bytes',
    variable: 'SANDBOX_WORLD_REQUEST_LOG',
    about: "Maximum memory for a world's request log and events; the oldest are deleted first.",
    fallback: '256MB',
    // 1,000 requests of typically 2 KB, as many events, and room for larger ones.
    hosted: '16MB',
    freed_by: 'the oldest are deleted automatically; DELETE /sandbox/requests empties the request log',
  },
  snapshots: {
    unit: 'bytes',
    variable: 'SANDBOX_WORLD_SNAPSHOTS',
    about: "Maximum memory for the rows in a world's snapshots, including rows that the world still has.",
    fallback: 'none',
    // One snapshot of a full world.
    hosted: '64MB',
    freed_by: 'free some with DELETE /sandbox/snapshots/{id}',
  },
  snapshot_count: {
    unit: 'concurrent',
    variable: 'SANDBOX_WORLD_SNAPSHOT_COUNT',
    about: 'Maximum number of snapshots of a world.',
    fallback: '50',
    hosted: '50',
    freed_by: 'free some with DELETE /sandbox/snapshots/{id}',
  },
  scenarios: {
    unit: 'bytes',
    variable: 'SANDBOX_WORLD_SCENARIOS',
    about: "Maximum memory for a world's own scenario files and its active and queued scenarios.",
    fallback: '64MB',
    // The shipped scenarios take a tenth of it.
    hosted: '1MB',
    freed_by: 'free some with DELETE /sandbox/scenarios',
  },
  bodies: {
    unit: 'bytes',
    variable: 'SANDBOX_WORLD_BODIES',
    about: 'Maximum size of the bodies of concurrent requests to a world, in bytes.',
    fallback: 'none',
    // Sixteen of the largest bodies, or thousands of typical ones.
    hosted: '16MB',
    freed_by: 'wait until other requests have ended',
  },
  waiters: {
    unit: 'concurrent',
    variable: 'SANDBOX_WORLD_WAITERS',
    about:
      'Maximum number of waiting requests per world: for callbacks or requests to arrive, or for a response that a scenario delays.',
    fallback: '1000',
    // A few for each parallel test worker of a machine.
    hosted: '50',
    freed_by: 'wait until other requests have ended',
  },
  streams: {
    unit: 'concurrent',
    variable: 'SANDBOX_WORLD_STREAMS',
    about: 'Maximum number of open event streams per world.',
    fallback: '100',
    hosted: '20',
    freed_by: 'close another stream',
  },
  requests: {
    unit: 'per_minute',
    variable: 'SANDBOX_WORLD_REQUESTS',
    about: 'Maximum number of requests to one world per minute, over all its API keys.',
    fallback: 'none',
    // Fifty per second, the pace of a test suite with a few workers, use a tenth of one processor.
    hosted: '3000',
    freed_by: 'try again in the next minute',
  },
  inbox_requests: {
    unit: 'per_minute',
    variable: 'SANDBOX_WORLD_INBOX_REQUESTS',
    about:
      "Maximum number of requests from outside to the inboxes of one world per minute; the world's own callbacks do not count.",
    fallback: 'none',
    // The same as the limit of callback attempts.
    hosted: '600',
    freed_by: 'try again in the next minute',
  },
  callbacks: {
    unit: 'per_minute',
    variable: 'SANDBOX_WORLD_CALLBACKS',
    about: 'Maximum number of callback attempts over HTTP per world and minute; further ones are delayed.',
    fallback: 'none',
    // Ten per second are enough for tests, and too few to harm the target.
    hosted: '600',
    freed_by: 'further callbacks are sent in the next minute',
  },
  callbacks_per_day: {
    unit: 'per_day',
    variable: 'SANDBOX_WORLD_CALLBACKS_PER_DAY',
    about:
      'Maximum number of callback attempts over HTTP per world and day (UTC); further ones are sent the next day.',
    fallback: 'none',
    hosted: 'none',
    freed_by: 'further callbacks are sent after midnight UTC',
  },
  mails: {
    unit: 'per_minute',
    variable: 'SANDBOX_WORLD_MAILS',
    about: 'Maximum number of mails per world and minute; further invitations get 429.',
    fallback: 'none',
    // They may be sent by SMTP to people who did not ask for them.
    hosted: '20',
    freed_by: 'try again in the next minute',
  },
} as const satisfies { readonly [item: string]: Item }

export type BudgetItems = typeof budgetItems
