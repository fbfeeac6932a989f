import { readFile } from 'node:fs/promises'
import { Hono } from 'hono'
import type { Wall } from './clock.ts'
import {
  control,
  controlBodyLimits,
  controlOwnersOnly,
  controlReading,
  type ControlParts,
} from './control/control.ts'
import { inboxDoor } from './control/inbox.ts'
import { files } from './files.ts'
import * as controlApi from './generated/control/routes.ts'
import * as serviceApi from './generated/service/routes.ts'
import type { AdminGuard } from './http/admin-guard.ts'
import type { Env } from './http/env.ts'
import { answerError, answerFault, type AnswerFault } from './http/errors.ts'
import { recordUnknown } from './http/journal.ts'
import type { Metrics } from './http/metrics.ts'
import { probes } from './http/probes.ts'
import type { Process } from './http/process.ts'
import type { RateLimit } from './http/rate-limit.ts'
import type { Stage } from './http/play.ts'
import { register } from './http/register.ts'
import { requestLog, type Logged } from './http/request-log.ts'
import { unknownPaths } from './http/unknown-path.ts'
import type { Log } from './log.ts'
import { operations } from './operations/operations.ts'
import { checkoutPage } from './ui/checkout.ts'
import { invitePage } from './ui/invite.ts'
import { provenancePage } from './ui/provenance/page.ts'
import { shareWith } from './ui/viewer/policy.ts'
import { viewerPages, type ViewerOptions } from './ui/viewer/viewer.ts'
import { welcome } from './ui/welcome.ts'
import type { Worlds } from './worlds/worlds.ts'

export interface AppOptions {
  readonly worlds: Worlds
  readonly log: Log
  readonly wall: Wall
  readonly rateLimit: RateLimit | undefined
  readonly headers: boolean
  readonly stage: Stage
  readonly admin: AdminGuard
  readonly process: Process
  readonly metrics?: Metrics | undefined
  /** What the control API steers. */
  readonly parts: ControlParts
  readonly pages: ViewerOptions
}

/** The application: the operations of both APIs, and behind them, for whatever is none of them, the pages. */
export function createApp(options: AppOptions): Hono<Env> {
  const { worlds, log, wall, rateLimit, headers, stage, admin, process, metrics, parts } = options
  const app = new Hono<Env>()
  const fault = answerFault(log)
  const logged = requestLog(log, wall, fault, metrics)

  const { library } = stage
  const { disturbance } = process
  const access = { logged, process, worlds, rateLimit, headers, library, admin, disturbance }
  register(app, { ...access, stage }, { ...serviceApi, kind: 'service', handlers: operations })
  register(app, access, {
    ...controlApi,
    kind: 'control',
    handlers: control(parts),
    bodyLimits: controlBodyLimits,
    reading: controlReading,
    ownersOnly: controlOwnersOnly,
  })

  const site = pagesOf(options, logged, fault)
  app.notFound((c) => site.fetch(c.req.raw, c.env))
  app.onError(fault)
  return app
}

/** Everything that a description does not tell of: pages, documents, probes, and what to say of a path that leads nowhere. */
function pagesOf(
  { worlds, headers, metrics, parts, pages }: AppOptions,
  logged: Logged,
  fault: AnswerFault,
): Hono<Env> {
  const app = new Hono<Env>()
  app.use((c, next) =>
    logged(c, async () => {
      await next()
      return c.res
    }),
  )
  const documents = [
    { path: '/openapi.json', api: 'service', form: 'json' },
    { path: '/openapi.yaml', api: 'service', form: 'yaml' },
    { path: '/sandbox/openapi.json', api: 'control', form: 'json' },
    { path: '/sandbox/openapi.yaml', api: 'control', form: 'yaml' },
  ] as const
  for (const { path, api, form } of documents)
    app.get(path, shareWith(pages.embedOrigins), async (c) => {
      const bytes = await readFile(files.description(api, form))
      return c.body(bytes, 200, { 'content-type': `application/${form}; charset=utf-8` })
    })
  inboxDoor(app, worlds, parts.inboxes)
  app.get('/', (c) => welcome(c, pages.guide))
  app.get('/sandbox/provenance', shareWith(pages.embedOrigins), provenancePage())
  viewerPages(app, pages)
  checkoutPage(app, worlds)
  invitePage(app, worlds)
  probes(app)
  if (metrics)
    app.get('/metrics', async (c) => c.text(await metrics.text(), 200, { 'content-type': metrics.type }))

  const unknown = unknownPaths([
    ...Object.values(serviceApi.routes),
    ...Object.values(controlApi.routes),
    ...documents.map(({ path }) => ({ method: 'GET', path })),
    ...['/', '/docs', '/docs/embed', '/docs/embed.js', '/sandbox/provenance'].map((path) => ({
      method: 'GET',
      path,
    })),
    { method: 'GET', path: '/checkout/{world}/{id}' },
    { method: 'POST', path: '/checkout/{world}/{id}' },
    { method: 'POST', path: '/sandbox/inbox/{name}' },
  ])
  app.notFound(async (c) => {
    await recordUnknown(c, worlds, headers)
    const { error, allow } = unknown(c.req.method, c.req.path)
    return answerError(c, error, allow ? { Allow: allow } : {})
  })
  app.onError(fault)
  return app
}
