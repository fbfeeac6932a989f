import { type Context, Hono } from 'hono'
import type { ControlDependencies } from '../control/dependencies.ts'
import { inboxDoor } from '../control/inbox.ts'
import { ServiceError } from '../service/domain/errors.ts'
import { operations as controlOperations } from '../generated/control/operations.ts'
import { operations as extensionOperations } from '../generated/extensions/operations.ts'
import { operations as serviceOperations } from '../generated/service/operations.ts'
import { findCaller } from '../http/authorize.ts'
import { type Env, Exchange } from '../http/exchange.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { mountOf } from '../http/caller.ts'
import { requireNoNulIn } from '../http/read-request.ts'
import { unknownPaths } from '../http/unknown-path.ts'
import { unlessKnown } from './asset.ts'
import { certificationPages } from './certifications.ts'
import { collectionPages } from './collections/pages.ts'
import { guidePages } from './guides/pages.ts'
import { checkoutPage } from './checkout/routes.ts'
import { dashboardPages } from './dashboard.ts'
import { described, favicon, keySet, jsonSchema, lenientDescriptions, schemas } from './documents.ts'
import { invitePage } from './invite.ts'
import { searchPage } from './guides/search.ts'
import { textPages } from './llms.ts'
import { mcpDoor, type Within } from './mcp.ts'
import { apisOf, type PageOptions, refuse } from './page.ts'
import { signUpPages } from './sign-up.ts'
import type { Observed } from '../service/vocabulary/observed.ts'
import { provenancePage } from './provenance/page.ts'
import { shareWith } from './viewer/policy.ts'
import { viewerPages } from './viewer/viewer.ts'
import { welcome } from './welcome.ts'

export interface SiteOptions {
  readonly serving: Dependencies
  readonly steering: Pick<
    ControlDependencies,
    'worlds' | 'inboxes' | 'links' | 'firstSecret' | 'reportKey' | 'certifying'
  >
  readonly pages: PageOptions
  /** Sends a request within the process, on behalf of a client of its tools. */
  readonly within: Within
  readonly mcp: boolean
  /** How the service was observed to differ. */
  readonly observed: Observed | undefined
  /** The reason why requests are rejected; undefined while the sandbox is available. */
  readonly unavailable: () => string | undefined
  readonly shards: { list(): readonly ShardState[] } | undefined
}

const FORMS = ['json', 'yaml'] as const
const DOCUMENTS = {
  service: '/openapi',
  control: '/sandbox/openapi',
  extensions: '/openapi-extensions',
}

/** The header that leads lost clients to the documentation. */
const helpOf = (c: Context) => `<${mountOf(c)}/llms.txt>; rel="help"; type="text/plain"`

const METRICS_OFF = 'metrics are off; start the sandbox with SANDBOX_METRICS=on'

/** Creates everything outside the descriptions: pages, documents, probes, and errors for unknown paths. */
export function createSite(options: SiteOptions): Hono<Env> {
  const { serving, steering, pages } = options
  const { worlds, callers, metrics, log, guests } = serving
  const app = new Hono<Env>()
  app.use(async (c, next) => {
    const exchange = new Exchange(c, serving)
    c.set('exchange', exchange)
    try {
      if (!isProbe(c.req.path)) await callers.arrive(c)
      requireNoNulIn(c.req.url)
      await next()
    } catch (error) {
      c.res = await refuse(exchange, error, log)
    }
    exchange.close(c.res.status)
  })
  const shared = shareWith(pages.embedOrigins)
  lenientDescriptions(app, serving, { guide: pages.guide, shared })
  for (const api of apisOf(pages))
    for (const form of FORMS) app.get(`${DOCUMENTS[api]}.${form}`, shared, unlessKnown, described(api, form))
  for (const url of schemas) {
    const path = `/sandbox/${url.pathname.replace(/.*\//, '')}`
    app.get(path, shared, unlessKnown, jsonSchema(url))
  }
  keySet(app, steering.reportKey)
  certificationPages(app, steering.certifying.register, serving.wall)
  inboxDoor(app, serving, steering.inboxes)
  favicon(app)
  app.get('/', (c) => welcome(c, pages.guide, guests.rules.signUp))
  app.get('/sandbox/provenance', shared, unlessKnown, provenancePage(options.observed))
  dashboardPages(app, pages)
  signUpPages(app, serving, steering)
  textPages(app, pages)
  viewerPages(app, pages, serving)
  collectionPages(app, pages)
  guidePages(app, pages)
  searchPage(app, pages)
  mcpDoor(app, serving, options.within, options.mcp)
  checkoutPage(app, worlds, pages.isHosted)
  invitePage(app, worlds)
  probes(app, options)
  app.get('/metrics', async (c) => {
    if (!metrics) throw new ServiceError('resource_not_found', METRICS_OFF)
    return c.text(await metrics.text(), 200, { 'content-type': metrics.type })
  })

  const extensionPaths = pathsOf(extensionOperations)
  const known = [...pathsOf(serviceOperations), ...pathsOf(controlOperations), ...routesOf(app)]
  const documents = FORMS.map((form) => ({ method: 'get', path: `${DOCUMENTS.extensions}.${form}` }))
  const older = pages.extensions ? extensionPaths : [...extensionPaths, ...documents]
  const unknown = unknownPaths(known, older, pages.extensions)
  app.notFound(async (c) => {
    const exchange = c.get('exchange')
    await recordUnknown(exchange, serving)
    const { error, allow } = unknown(c.req.method, c.req.path)
    return refuse(exchange, error, log, { Link: helpOf(c), ...(allow && { Allow: allow }) })
  })
  app.onError((error, c) => refuse(c.get('exchange'), error, log))
  return app
}

const pathsOf = (operations: Readonly<Record<string, string>>) =>
  Object.values(operations).map((operation) => {
    const [method = '', template = ''] = operation.split(' ')
    return { method: method.toLowerCase(), path: template.replace(/\{\?.*/, '') }
  })

/** Returns the routes of an application in the form of a description. */
const routesOf = ({ routes }: Hono<Env>) =>
  routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => ({ method, path: path.replace(/:(\w+)(?:\{[^/]+\})?/g, '{$1}') }))

/** Logs a request to an unknown path if it has valid credentials. */
async function recordUnknown(exchange: Exchange, serving: Dependencies): Promise<void> {
  const { c } = exchange
  const known = await findCaller(c, serving)
  // Agents probe these paths for streams on every start.
  if (!known || c.req.path.startsWith('/sandbox') || c.req.path === '/mcp') return
  exchange.identify(known)
  exchange.record('')
  await exchange.recording
}

/** Probes are not rate limited, since an orchestrator would end a healthy process after a 429. */
const isProbe = (path: string) => path === '/livez' || path === '/readyz'

/**
 * The port opens after seeding, so any response means that the sandbox is ready, unless rows cannot be
 * stored.
 */
function probes(app: Hono<Env>, { unavailable, shards }: Pick<SiteOptions, 'unavailable' | 'shards'>): void {
  app.get('/livez', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', (c) => {
    const reason = unavailable()
    const more = shards && { shards: shards.list().map(stateOfShard) }
    return reason === undefined
      ? c.json({ status: 'ok', ...more })
      : c.json({ status: 'unavailable', reason, ...more }, 503)
  })
}

interface ShardState {
  readonly shard: number
  /** Why it is unavailable. */
  readonly reason?: string | undefined
}

const stateOfShard = ({ shard, reason }: ShardState) =>
  reason === undefined ? { shard, status: 'ok' } : { shard, status: 'unavailable', reason }
