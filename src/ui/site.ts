import { readFile } from 'node:fs/promises'
import { Hono } from 'hono'
import { inboxDoor } from '../control/inbox.ts'
import type { ControlParts } from '../control/parts.ts'
import { ServiceError } from '../domain/errors.ts'
import { files } from '../files.ts'
import { paths as controlPaths } from '../generated/control/paths.ts'
import { paths as servicePaths } from '../generated/service/paths.ts'
import type { CallerLimits } from '../http/caller-limits.ts'
import type { Env } from '../http/env.ts'
import { answerError, type AnswerFault } from '../http/errors.ts'
import { recordUnknown } from '../http/journal.ts'
import type { Metrics } from '../http/metrics.ts'
import { isProbe, probes } from '../http/probes.ts'
import type { Logged } from '../http/request-log.ts'
import { unknownPaths } from '../http/unknown-path.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { checkoutPage } from './checkout.ts'
import { invitePage } from './invite.ts'
import { provenancePage } from './provenance/page.ts'
import { shareWith } from './viewer/policy.ts'
import { viewerPages, type ViewerOptions } from './viewer/viewer.ts'
import { welcome } from './welcome.ts'

export interface SiteOptions {
  readonly worlds: Worlds
  readonly callers: CallerLimits
  readonly headers: boolean
  readonly metrics?: Metrics | undefined
  readonly parts: ControlParts
  readonly pages: ViewerOptions
  readonly logged: Logged
  readonly fault: AnswerFault
  /** Why nothing is accepted for now; undefined while all is well. */
  readonly unavailable: () => string | undefined
}

const METRICS_OFF = 'metrics are off; start the sandbox with SANDBOX_METRICS=on'

/** Everything that a description does not tell of: pages, documents, probes, and what to say of a path that leads nowhere. */
export function createSite(options: SiteOptions): Hono<Env> {
  const { worlds, callers, headers, metrics, parts, pages, logged, fault } = options
  const app = new Hono<Env>()
  app.use((c, next) =>
    logged(c, async () => {
      if (!isProbe(c.req.path)) callers.arrive(c)
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
  inboxDoor(app, worlds, callers, parts.inboxes)
  app.get('/', (c) => welcome(c, pages.guide))
  app.get('/sandbox/provenance', shareWith(pages.embedOrigins), provenancePage())
  viewerPages(app, pages)
  checkoutPage(app, worlds)
  invitePage(app, worlds)
  probes(app, options.unavailable)
  app.get('/metrics', async (c) => {
    if (!metrics) throw new ServiceError('resource_not_found', METRICS_OFF)
    return c.text(await metrics.text(), 200, { 'content-type': metrics.type })
  })

  const unknown = unknownPaths([
    ...servicePaths,
    ...controlPaths,
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
    await recordUnknown(c, worlds, callers, headers)
    const { error, allow } = unknown(c.req.method, c.req.path)
    return answerError(c, error, allow ? { Allow: allow } : {})
  })
  app.onError(fault)
  return app
}
