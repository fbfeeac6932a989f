interface Item {
  /** In what it is counted. */
  readonly unit: 'bytes' | 'at once' | 'per minute' | 'per day'
  /** The setting that limits it, what that is about, and what it is where nothing is set. */
  readonly variable: string
  readonly about: string
  readonly fallback: string
  readonly hosted: string
  /** What gives some of it back; follows what was too much. */
  readonly gives_back: string
}

/**
 * The budget of a world: everything that one key could let grow, each by a setting. Locally nobody's tests may notice it;
 * hosted, what many strangers do at once must fit one process. Of rows of any kind (Teams, API keys, mails) the bytes are what counts, whatever their number, so they have no items of their own.
 */
export const budgetItems = {
  rows: {
    unit: 'bytes',
    variable: 'SANDBOX_WORLD_ROWS',
    about: "How much memory a world's rows may take; when it is spent, what would add rows is answered 429.",
    fallback: '1GB',
    // 40,000 settled payments and the last 1,000 callbacks: a day of a diligent test suite.
    hosted: '64MB',
    gives_back:
      'DELETE /sandbox/outbox or DELETE /sandbox/scenarios take rows away, POST /sandbox/reset all that were added',
  },
  inboxes: {
    unit: 'bytes',
    variable: 'SANDBOX_WORLD_INBOXES',
    about:
      'How much memory the messages take that the inboxes of a world keep; the oldest are forgotten first.',
    fallback: '64MB',
    // The 500 that are kept at most, each with a body of the usual 2 KB, and room for larger ones.
    hosted: '8MB',
    gives_back:
      'the oldest are forgotten when it is spent; DELETE /sandbox/inbox/{name} forgets all of an inbox',
  },
  journal: {
    unit: 'bytes',
    variable: 'SANDBOX_WORLD_JOURNAL',
    about:
      'How much memory the requests and events take that a world remembers; the oldest are forgotten first.',
    fallback: '256MB',
    // 1,000 requests of the usual 2 KB, and as many events, with room for larger ones.
    hosted: '16MB',
    gives_back: 'the oldest are forgotten when it is spent; DELETE /sandbox/requests forgets all requests',
  },
  snapshots: {
    unit: 'bytes',
    variable: 'SANDBOX_WORLD_SNAPSHOTS',
    about: "How much memory the rows in a world's snapshots may take, those that it still has among them.",
    fallback: 'none',
    // A world whose rows fill their budget can still be kept once.
    hosted: '64MB',
    gives_back: 'DELETE /sandbox/snapshots/{id} gives it back',
  },
  snapshot_count: {
    unit: 'at once',
    variable: 'SANDBOX_WORLD_SNAPSHOT_COUNT',
    about: 'How many snapshots a world may have.',
    fallback: '50',
    hosted: '50',
    gives_back: 'DELETE /sandbox/snapshots/{id} gives it back',
  },
  scenarios: {
    unit: 'bytes',
    variable: 'SANDBOX_WORLD_SCENARIOS',
    about:
      "How much memory a world's own scenario files may take, with what is switched on and queued of them.",
    fallback: '64MB',
    // The 46 that are shipped take a tenth of it.
    hosted: '1MB',
    gives_back: 'DELETE /sandbox/scenarios gives it back',
  },
  bodies: {
    unit: 'bytes',
    variable: 'SANDBOX_WORLD_BODIES',
    about: 'How many bytes the bodies of requests have that are under way in a world at once.',
    fallback: 'none',
    // Sixteen of the largest, or thousands of the usual.
    hosted: '16MB',
    gives_back: 'a request that is answered gives it back',
  },
  waiters: {
    unit: 'at once',
    variable: 'SANDBOX_WORLD_WAITERS',
    about:
      'How many requests may wait in a world at once: for callbacks or requests to come, or for an answer that a scenario holds back.',
    fallback: '1000',
    // As many parallel test workers as one machine has, each with a few.
    hosted: '50',
    gives_back: 'a wait that ends gives it back',
  },
  streams: {
    unit: 'at once',
    variable: 'SANDBOX_WORLD_STREAMS',
    about: 'How many may listen at once to the events of a world.',
    fallback: '100',
    hosted: '20',
    gives_back: 'a stream that is closed gives it back',
  },
  requests: {
    unit: 'per minute',
    variable: 'SANDBOX_WORLD_REQUESTS',
    about: 'How many requests a minute one world takes, over all its API keys.',
    fallback: 'none',
    // Fifty a second, the pace of a test suite with a few workers, is a tenth of what one processor answers.
    hosted: '3000',
    gives_back: 'the next minute gives it back',
  },
  inbox_requests: {
    unit: 'per minute',
    variable: 'SANDBOX_WORLD_INBOX_REQUESTS',
    about:
      "How many requests a minute from outside the inboxes of one world take; the world's own callbacks do not count.",
    fallback: 'none',
    // As many as a world may make attempts to deliver.
    hosted: '600',
    gives_back: 'the next minute gives it back',
  },
  callbacks: {
    unit: 'per minute',
    variable: 'SANDBOX_WORLD_CALLBACKS',
    about: 'How many attempts a minute a world makes to deliver callbacks over HTTP; more are made later.',
    fallback: 'none',
    // Ten a second: enough for tests, too little to trouble whoever it is aimed at.
    hosted: '600',
    gives_back: 'the next minute gives it back, when what is over it is sent',
  },
  callbacks_a_day: {
    unit: 'per day',
    variable: 'SANDBOX_WORLD_CALLBACKS_A_DAY',
    about:
      'How many attempts a day, from midnight UTC, a world makes to deliver callbacks over HTTP; more are made the day after.',
    fallback: 'none',
    hosted: 'none',
    gives_back: 'the next day gives it back, at midnight UTC, when what is over it is sent',
  },
  mails: {
    unit: 'per minute',
    variable: 'SANDBOX_WORLD_MAILS',
    about: 'How many mails a minute a world writes; an invitation beyond it is answered 429.',
    fallback: 'none',
    // They may leave by SMTP to people who never asked for them.
    hosted: '20',
    gives_back: 'the next minute gives it back',
  },
} as const satisfies { readonly [item: string]: Item }

export type BudgetItems = typeof budgetItems
