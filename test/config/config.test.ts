import { describe, expect, it } from 'vitest'
import { ignoredValues, ConfigError, readConfig, unknownSettings } from '../../src/config/config.ts'
import { settingsTables, withPart } from '../../openapi/guides.ts'
import type { Setting } from '../../src/config/setting.ts'
import { settings } from '../../src/config/settings.ts'

/** What the reader of a refused start sees. */
function refusal(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'nothing was refused'
}

describe('readConfig', () => {
  it('has defaults for all settings', () => {
    expect(readConfig({})).toEqual({
      addressRateLimit: Infinity,
      failureLimit: Infinity,
      inContainer: null,
      publicUrl: null,
      certificationKey: null,
      certificationPlan: null,
      certificationPlans: null,
      corsOrigins: [],
      trustedProxies: null,
      worldRows: 2 ** 30,
      worldInboxes: 64 * 2 ** 20,
      worldRequestLog: 256 * 2 ** 20,
      worldSnapshots: Infinity,
      worldSnapshotCount: 50,
      worldScenarios: 64 * 2 ** 20,
      worldBodies: Infinity,
      worldWaiters: 1000,
      worldStreams: 100,
      worldRequests: Infinity,
      worldInboxRequests: Infinity,
      worldCallbacks: Infinity,
      worldIdle: 300_000,
      worldCallbacksPerDay: Infinity,
      worldMails: Infinity,
      signUp: 'off',
      signUpTokens: null,
      plans: null,
      signUpEmail: 'optional',
      signUpSecret: null,
      mailFrom: 'Payments Sandbox <no-reply@sandbox.example>',
      signUpTtl: 604_800_000,
      signUpWorlds: 5_000,
      signUpRate: 300,
      signUpAddressRate: 5,
      signUpCopies: 4,
      signUpRows: 16 * 2 ** 20,
      signUpRequests: 600,
      signUpCallbacks: 60,
      readerWorlds: 'off',
      readerTtl: 3_600_000,
      readerAddressRate: 20,
      maxMemory: { bytes: Infinity },
      callbackRewrite: null,
      traceContext: 'propagate',
      callbackTimeout: 10_000,
      maxConnections: 512,
      callbackPorts: null,
      callbackTargets: 'any',
      mailDomains: null,
      mailLinks: null,
      mode: 'local',
      resetCron: null,
      retryJitter: 'on',
      retryProfile: 'sandbox',
      retrySpeed: 1,
      signatures: 'standard',
      signingSecret: null,
      timeZone: 'UTC',
      port: 8080,
      host: '127.0.0.1',
      processUrl: 'auto',
      shutdownDelay: 0,
      apiUsername: 'demo',
      apiPassword: 'demo',
      viewerPassword: null,
      settleAfter: 2000,
      realism: 'plain',
      observed: null,
      callbackShape: 'flat',
      payer: 'automatic',
      validation: 'documented',
      generation: 'current',
      extensions: 'off',
      seed: 'sandbox',
      scenarios: null,
      headers: 'on',
      db: null,
      databaseUrl: null,
      databaseUrls: null,
      dbSync: 'off',
      rateLimit: null,
      embedOrigins: '*',
      allowedHosts: [],
      logLevel: 'info',
      adminToken: null,
      adminTokens: null,
      auditEntries: 10_000,
      worldTtl: 86_400_000,
      maxWorlds: 10_000,
      openWorlds: 2_000,
      retention: { age: 2_592_000_000, number: 20_000 },
      requestLogSize: 1_000,
      seedFile: null,
      mcp: 'on',
      metrics: 'off',
      smtpUrl: null,
    })
  })

  it('reads variables', () => {
    const config = readConfig({
      SANDBOX_PORT: '0',
      SANDBOX_HOST: '::',
      SANDBOX_PROCESS_URL: 'http://10.0.0.5:8080',
      SANDBOX_SHUTDOWN_DELAY: '5s',
      SANDBOX_API_USERNAME: 'Zoë',
      SANDBOX_API_PASSWORD: 'a:b+c and some more',
      SANDBOX_VIEWER_PASSWORD: 'for readers only',
      SANDBOX_SETTLE_AFTER: '500ms',
      SANDBOX_REALISM: 'realistic',
      SANDBOX_CALLBACK_SHAPE: 'nested',
      SANDBOX_VALIDATION: 'lenient',
      SANDBOX_GENERATION: 'previous',
      SANDBOX_EXTENSIONS: 'on',
      SANDBOX_SEED: '42',
      SANDBOX_SCENARIOS: 'scenarios',
      SANDBOX_HEADERS: 'off',
      SANDBOX_DB: '/data/rows.json',
      SANDBOX_DB_SYNC: 'on',
      SANDBOX_RATE_LIMIT: '600',
      SANDBOX_ALLOWED_HOSTS: 'sandbox.example, *.tunnel.example',
      SANDBOX_EMBED_ORIGINS: 'https://docs.example, http://localhost:3000',
      SANDBOX_LOG_LEVEL: 'silent',
      SANDBOX_MODE: 'hosted',
      SANDBOX_TRUSTED_PROXIES: '10.0.0.0/8, ::1, loopback',
      SANDBOX_PUBLIC_URL: 'https://Example.com:443/pay/',
      SANDBOX_WORLD_ROWS: '1.5GB',
      SANDBOX_WORLD_WAITERS: 'none',
      SANDBOX_ADMIN_TOKEN: 'a-long-random-text',
      SANDBOX_ADMIN_TOKENS: 'anna:0f3c5e7a9b1d2f4c',
      SANDBOX_AUDIT_ENTRIES: '500',
      SANDBOX_WORLD_TTL: '1h',
      SANDBOX_MAX_WORLDS: '50',
      SANDBOX_RETENTION: '90m',
      SANDBOX_REQUEST_LOG_SIZE: '20',
      SANDBOX_SEED_FILE: '/seeds/shop.yaml',
      SANDBOX_METRICS: 'on',
      SANDBOX_SMTP_URL: 'smtp://127.0.0.1:1025',
    })
    expect(config).toEqual({
      addressRateLimit: 12_000,
      failureLimit: 20,
      certificationKey: null,
      certificationPlan: null,
      certificationPlans: null,
      inContainer: null,
      publicUrl: 'https://example.com/pay',
      corsOrigins: [],
      trustedProxies: ['10.0.0.0/8', '::1', 'loopback'],
      worldRows: 1.5 * 2 ** 30,
      worldInboxes: 8 * 2 ** 20,
      worldRequestLog: 16 * 2 ** 20,
      worldSnapshots: 64 * 2 ** 20,
      worldSnapshotCount: 50,
      worldScenarios: 2 ** 20,
      worldBodies: 16 * 2 ** 20,
      worldWaiters: Infinity,
      worldStreams: 20,
      worldRequests: 3000,
      worldInboxRequests: 600,
      worldCallbacks: 600,
      worldIdle: 300_000,
      worldCallbacksPerDay: Infinity,
      worldMails: 20,
      signUp: 'off',
      signUpTokens: null,
      plans: null,
      signUpEmail: 'optional',
      signUpSecret: null,
      mailFrom: 'Payments Sandbox <no-reply@sandbox.example>',
      signUpTtl: 604_800_000,
      signUpWorlds: 5_000,
      signUpRate: 300,
      signUpAddressRate: 5,
      signUpCopies: 4,
      signUpRows: 16 * 2 ** 20,
      signUpRequests: 600,
      signUpCallbacks: 60,
      readerWorlds: 'off',
      readerTtl: 3_600_000,
      readerAddressRate: 20,
      maxMemory: { share: 0.5 },
      callbackRewrite: null,
      traceContext: 'propagate',
      callbackTimeout: 10_000,
      maxConnections: 512,
      callbackPorts: null,
      callbackTargets: 'public',
      mailDomains: null,
      mailLinks: null,
      mode: 'hosted',
      resetCron: null,
      retryJitter: 'on',
      retryProfile: 'sandbox',
      retrySpeed: 1,
      signatures: 'standard',
      signingSecret: null,
      timeZone: 'UTC',
      port: 0,
      host: '::',
      processUrl: 'http://10.0.0.5:8080',
      shutdownDelay: 5_000,
      apiUsername: 'Zoë',
      apiPassword: 'a:b+c and some more',
      viewerPassword: 'for readers only',
      settleAfter: 500,
      realism: 'realistic',
      observed: null,
      callbackShape: 'nested',
      payer: 'automatic',
      validation: 'lenient',
      generation: 'previous',
      extensions: 'on',
      seed: '42',
      scenarios: 'scenarios',
      headers: 'off',
      db: '/data/rows.json',
      databaseUrl: null,
      databaseUrls: null,
      dbSync: 'on',
      rateLimit: 600,
      allowedHosts: ['sandbox.example', '*.tunnel.example'],
      embedOrigins: ['https://docs.example', 'http://localhost:3000'],
      logLevel: 'silent',
      adminToken: 'a-long-random-text',
      adminTokens: [{ name: 'anna', token: '0f3c5e7a9b1d2f4c' }],
      auditEntries: 500,
      worldTtl: 3_600_000,
      maxWorlds: 50,
      openWorlds: 2_000,
      retention: { age: 5_400_000, number: Infinity },
      requestLogSize: 20,
      seedFile: '/seeds/shop.yaml',
      mcp: 'on',
      metrics: 'on',
      smtpUrl: 'smtp://127.0.0.1:1025',
    })
  })

  const own = {
    SANDBOX_MODE: 'hosted',
    SANDBOX_API_PASSWORD: 'twelve chars',
    SANDBOX_ADMIN_TOKEN: 'sixteen letters.',
  }

  it('accepts hosted mode with secrets, and allows no embedding by default', () => {
    expect(readConfig(own)).toMatchObject({ mode: 'hosted', embedOrigins: [], allowedHosts: '*' })
    expect(readConfig({ ...own, SANDBOX_EMBED_ORIGINS: '*' })).toMatchObject({ embedOrigins: '*' })
    expect(readConfig({ SANDBOX_EMBED_ORIGINS: 'none' })).toMatchObject({ embedOrigins: [] })
  })

  it('rejects hosted mode without secrets, and names the variables and the remedy', () => {
    const accepted =
      'SANDBOX_MODE "hosted" needs one of at least LENGTH characters, 6 of them different, that is no repeated text, no row of keys or letters, and not made of the user name: use the output of `openssl rand -base64 24`'
    const [password, token, ...more] = refusal({ SANDBOX_MODE: 'hosted' }).split('\n')
    expect(password).toBe(
      `SANDBOX_API_PASSWORD is not set; ${accepted.replace('LENGTH', '12')}, or set SANDBOX_SEED_FILE to a seed file with such passwords`,
    )
    expect(token).toBe(`SANDBOX_ADMIN_TOKEN is not set; ${accepted.replace('LENGTH', '16')}`)
    expect(more).toEqual([])
  })

  it.each([
    ['SANDBOX_API_PASSWORD', 'demo', 'is a documented one'],
    ['SANDBOX_API_PASSWORD', 'eleven char', 'has 11 characters'],
    ['SANDBOX_API_PASSWORD', 'aaaaaaaaaaaa', 'has only 1 different character'],
    ['SANDBOX_API_PASSWORD', 'abcabcabc12abc', 'has only 5 different characters'],
    ['SANDBOX_API_PASSWORD', 'passwordpassword', 'repeats a shorter text'],
    ['SANDBOX_API_PASSWORD', 'Qwertyuiop!2345', 'follows the keyboard or the alphabet'],
    ['SANDBOX_API_PASSWORD', '210987654321', 'follows the keyboard or the alphabet'],
    ['SANDBOX_API_PASSWORD', 'demo-demo#2026', 'is made of the user name'],
    ['SANDBOX_VIEWER_PASSWORD', 'The-Viewer-2', 'is made of the user name'],
    ['SANDBOX_ADMIN_TOKEN', 'abcdefghijklmnop', 'follows the keyboard or the alphabet'],
    ['SANDBOX_VIEWER_PASSWORD', 'viewer', 'is a documented one'],
    ['SANDBOX_VIEWER_PASSWORD', 'too short', 'has 9 characters'],
    ['SANDBOX_VIEWER_PASSWORD', 'twelve chars', 'is the same as SANDBOX_API_PASSWORD'],
    ['SANDBOX_ADMIN_TOKEN', 'fifteen letters', 'has 15 characters'],
  ])('rejects hosted mode with %s=%j without showing it', (name, value, why) => {
    const message = refusal({ ...own, [name]: value })
    expect(message).toMatch(`${name} ${why};`)
    expect(message).not.toContain(value)
    expect(message.split('\n')).toHaveLength(1)
  })

  it('rejects an admin token that is the API password', () => {
    const secret = 'one for both of them'
    expect(refusal({ ...own, SANDBOX_API_PASSWORD: secret, SANDBOX_ADMIN_TOKEN: secret })).toBe(
      'SANDBOX_ADMIN_TOKEN is the same as SANDBOX_API_PASSWORD; an API key must not administer the sandbox: choose another token',
    )
  })

  it('does not require passwords in hosted mode with a seed file', () => {
    const { SANDBOX_API_PASSWORD: _, ...rest } = own
    expect(readConfig({ ...rest, SANDBOX_SEED_FILE: 'shop.yaml' })).toMatchObject({ mode: 'hosted' })
  })

  it('treats an empty variable as absent', () => {
    expect(readConfig({ PORT: '', SANDBOX_DB: '' })).toEqual(readConfig({}))
  })

  it.each([
    ['SANDBOX_PORT', '65536'],
    ['SANDBOX_PORT', '-1'],
    ['SANDBOX_PORT', '80.5'],
    ['SANDBOX_PORT', '0x50'],
    ['SANDBOX_PORT', ' 80'],
    ['SANDBOX_HOST', 'http://localhost'],
    ['SANDBOX_HOST', 'localhost:8080'],
    ['SANDBOX_HOST', '300.1.1.1'],
    ['SANDBOX_API_USERNAME', 'de:mo'],
    ['SANDBOX_API_USERNAME', 'demo+1'],
    ['SANDBOX_SETTLE_AFTER', 'soon'],
    ['SANDBOX_SETTLE_AFTER', '-2s'],
    ['SANDBOX_CALLBACK_SHAPE', 'sideways'],
    ['SANDBOX_VALIDATION', 'strict'],
    ['SANDBOX_SEED', 'a\nb'],
    ['SANDBOX_DB', 'rows\0.json'],
    ['SANDBOX_RATE_LIMIT', '0'],
    ['SANDBOX_WORLD_ROWS', '64 MB'],
    ['SANDBOX_WORLD_ROWS', '0'],
    ['SANDBOX_WORLD_REQUEST_LOG', '1KB'],
    ['SANDBOX_WORLD_WAITERS', '0'],
    ['SANDBOX_MAX_MEMORY', '0%'],
    ['SANDBOX_MAX_MEMORY', '101%'],
    ['SANDBOX_TRUSTED_PROXIES', 'proxy.example'],
    ['SANDBOX_PUBLIC_URL', 'pay.example.com'],
    ['SANDBOX_PUBLIC_URL', 'ftp://pay.example.com'],
    ['SANDBOX_PUBLIC_URL', 'https://user@pay.example.com'],
    ['SANDBOX_PUBLIC_URL', 'https://pay.example.com/?a=1'],
    ['SANDBOX_PUBLIC_URL', 'https://pay.example.com/#a'],
    ['SANDBOX_PUBLIC_URL', 'https://pay.example.com//x'],
    ['SANDBOX_PUBLIC_URL', 'https://pay.example.com/"x'],
    ['SANDBOX_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['SANDBOX_TRUSTED_PROXIES', '10.0.0.0/8/8'],
    ['SANDBOX_EMBED_ORIGINS', 'https://docs.example/'],
    ['SANDBOX_EMBED_ORIGINS', 'https://docs.example, *'],
    ['SANDBOX_EMBED_ORIGINS', 'docs.example'],
    ['SANDBOX_EMBED_ORIGINS', 'https://docs.example; script-src *'],
    ['SANDBOX_ALLOWED_HOSTS', 'sandbox.example:8080'],
    ['SANDBOX_ALLOWED_HOSTS', 'http://sandbox.example'],
    ['SANDBOX_ALLOWED_HOSTS', 'sandbox.example, *'],
    ['SANDBOX_LOG_LEVEL', 'loud'],
  ])('rejects %s=%j, naming it, the value and what is accepted', (name, value) => {
    const { reads } = Object.values<Setting>(settings).find(({ variable }) => variable === name)!
    expect(refusal({ [name]: value })).toBe(`${name} must be ${reads.accepts}, got ${JSON.stringify(value)}`)
  })

  it('lists each invalid value on a line', () => {
    expect(refusal({ SANDBOX_DB_SYNC: 'yes', PORT: 'eighty', SANDBOX_PORT: '', HOST: 'localhost' })).toBe(
      [
        'PORT must be a whole number from 0 to 65535, got "eighty"; if it is meant for another program, set SANDBOX_PORT, which takes precedence',
        'SANDBOX_DB_SYNC must be on or off, got "yes"',
      ].join('\n'),
    )
  })

  it('accepts a database or a file but not both, without showing the address', () => {
    const url = 'postgres://sandbox:hunter2@db.example:5432/sandbox?sslmode=require'
    expect(readConfig({ SANDBOX_DATABASE_URL: url })).toMatchObject({ databaseUrl: url, db: null })
    expect(refusal({ SANDBOX_DATABASE_URL: url, SANDBOX_DB: '/data/rows.json' })).toBe(
      'SANDBOX_DB and SANDBOX_DATABASE_URL are set; keep one of them',
    )
    for (const wrong of [
      'mysql://sandbox:hunter2@db.example/sandbox',
      'db.example/hunter2',
      'postgres://db.example',
    ])
      expect(refusal({ SANDBOX_DATABASE_URL: wrong })).toBe(
        'SANDBOX_DATABASE_URL must be an address such as postgres://user:password@db.example:5432/sandbox, got [redacted]',
      )
  })

  it('accepts several databases instead of one, each once', () => {
    const urls = [
      'postgres://sandbox:hunter2@one.example/a,b',
      'postgresql://sandbox:hunter2@two.example/b',
    ] as const
    expect(readConfig({ SANDBOX_DATABASE_URLS: urls.join(', ') }).databaseUrls).toEqual(urls)
    expect(refusal({ SANDBOX_DATABASE_URLS: urls[0], SANDBOX_DATABASE_URL: urls[1] })).toBe(
      'SANDBOX_DATABASE_URL and SANDBOX_DATABASE_URLS are set; keep one of them',
    )
    for (const wrong of [`${urls[0]},${urls[0]}`, `${urls[0]},postgres://two.example`, 'one.example'])
      expect(refusal({ SANDBOX_DATABASE_URLS: wrong })).toBe(
        'SANDBOX_DATABASE_URLS must be different addresses of databases, separated by commas, got [redacted]',
      )
  })

  it('does not show a rejected password', () => {
    expect(refusal({ SANDBOX_API_PASSWORD: 'hunter2\n' })).toBe(
      'SANDBOX_API_PASSWORD must be text without control characters, got [redacted]',
    )
  })
})

describe('unknownSettings', () => {
  it('suggests the closest setting without showing the value', () => {
    expect(unknownSettings({ SANDBOX_SETLE_AFTER: '5s', SANDBOX_DB: 'x', PATH: '/bin' })).toEqual([
      'SANDBOX_SETLE_AFTER is not a setting and is ignored (did you mean SANDBOX_SETTLE_AFTER?)',
    ])
  })

  it('makes no suggestion if no name is similar', () => {
    expect(unknownSettings({ SANDBOX_ENTIRELY_DIFFERENT_THING: '', SANDBOX_FOO: '' })).toEqual([
      'SANDBOX_ENTIRELY_DIFFERENT_THING is not a setting and is ignored',
      'SANDBOX_FOO is not a setting and is ignored',
    ])
  })

  it('ignores variables of Kubernetes and Docker for a service named sandbox', () => {
    const told = ['SERVICE_HOST', 'SERVICE_PORT', 'SERVICE_PORT_HTTP', 'PORT_80_TCP', 'PORT_80_TCP_ADDR']
    const env = Object.fromEntries(told.map((name) => [`SANDBOX_${name}`, 'x']))
    expect(unknownSettings(env)).toEqual([])
  })
})

describe('names that other programs use, too', () => {
  it.each(['PORT', 'HOST', 'LOG_LEVEL'])('%s is used unless SANDBOX_%s is set', (name) => {
    const values = { PORT: ['1', '2'], HOST: ['::1', '::'], LOG_LEVEL: ['warn', 'error'] }[name]!
    const read = (env: Record<string, string>) => {
      const { port, host, logLevel } = readConfig(env)
      return String({ PORT: port, HOST: host, LOG_LEVEL: logLevel }[name])
    }
    expect(read({ [name]: values[0]! })).toBe(values[0])
    expect(read({ [name]: values[0]!, [`SANDBOX_${name}`]: values[1]! })).toBe(values[1])
    expect(read({ [name]: '?', [`SANDBOX_${name}`]: values[1]! })).toBe(values[1])
  })

  it.each([
    ['warning', 'warn'],
    ['WARNING', 'warn'],
    ['trace', 'debug'],
    ['verbose', 'debug'],
    ['notice', 'info'],
    ['fatal', 'error'],
    ['critical', 'error'],
    ['off', 'silent'],
    ['none', 'silent'],
  ])('LOG_LEVEL=%s and SANDBOX_LOG_LEVEL mean %s', (word, level) => {
    expect(readConfig({ LOG_LEVEL: word }).logLevel).toBe(level)
    expect(readConfig({ SANDBOX_LOG_LEVEL: word }).logLevel).toBe(level)
    expect(ignoredValues({ LOG_LEVEL: word })).toEqual([])
  })

  it.each(['loud', '30'])('LOG_LEVEL=%s is ignored with a warning', (word) => {
    expect(readConfig({ LOG_LEVEL: word }).logLevel).toBe('info')
    expect(ignoredValues({ LOG_LEVEL: word })).toEqual([
      expect.stringMatching(`^LOG_LEVEL is ignored: "${word}" .*SANDBOX_LOG_LEVEL for the sandbox only`),
    ])
    expect(ignoredValues({ LOG_LEVEL: word, SANDBOX_LOG_LEVEL: 'info' })).toEqual([])
  })

  it('SANDBOX_PORT from Kubernetes counts as absent', () => {
    const SANDBOX_PORT = 'tcp://10.96.0.7:80'
    expect(readConfig({ SANDBOX_PORT }).port).toBe(8080)
    expect(readConfig({ SANDBOX_PORT, PORT: '9000' }).port).toBe(9000)
    expect(ignoredValues({ SANDBOX_PORT })).toEqual([
      'SANDBOX_PORT is ignored: Kubernetes or Docker set it to the address of a service',
    ])
  })
})

describe('the settings page', () => {
  it('has a row for each setting', () => {
    const rows = settingsTables()
      .match(/^\| `\w+`/gm)!
      .map((row) => row.split('`')[1])
    expect(rows.toSorted()).toEqual(
      Object.values(settings)
        .map(({ variable }) => variable)
        .toSorted(),
    )
  })

  it('replaces the text between the markers', () => {
    const page =
      'before\n\n<!-- settings: written by npm run generate -->\n\nold\n\n<!-- /settings -->\n\nafter\n'
    expect(withPart(page, 'settings', 'new')).toBe(page.replace('old', 'new'))
  })

  it('needs both markers', () => {
    expect(() => withPart('no markers', 'settings', 'new')).toThrow('<!-- /settings -->')
  })
})
