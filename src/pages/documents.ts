import type { Context, Hono, MiddlewareHandler } from 'hono'
import { readFile } from 'node:fs/promises'
import { KEY_SET_PATH, type ReportKey } from '../callbacks/signatures/report-key.ts'
import { descriptionJson, descriptionText, files } from '../lib/files.ts'
import { credentialsOf, findCaller } from '../http/authorize.ts'
import type { Dependencies } from '../http/dependencies.ts'
import type { Env } from '../http/exchange.ts'
import { elsewhereOf } from '../http/caller.ts'
import { palette } from '../lib/palette.ts'
import { addressedAsset, asset, byName, unlessKnown, untilMade } from './asset.ts'
import { annotate, narrowTo, operationIdsOf, type Part } from './viewer/description.ts'
import { describedHere, receiverHere } from './viewer/for-this-sandbox.ts'
import { withWayToOther } from './viewer/viewer.ts'
import type { Guide } from '../worlds/guide.ts'

/** Serves a description unchanged, except for the address behind a proxy with a path. */
export function described(...[api, form]: Parameters<typeof descriptionText>) {
  const type = `application/${form}; charset=utf-8`
  const read = untilMade(() => descriptionText(api, form))
  const here = asset({ type, make: read })
  const elsewhere = addressedAsset({ type, make: async ({ origin }) => withServer(await read(), origin) })
  return (c: Context): Promise<Response> => (elsewhereOf(c) === undefined ? here(c) : elsewhere(c))
}

/** The first server URL of a description. */
const ROOT = /("url": |- url: )("?)\/\2(?=,?\n)/

/** @param text - JSON over several lines, or YAML. @param base - address of the sandbox for clients */
const withServer = (text: string, base: string): string =>
  text.replace(ROOT, (_, key: string) => key + JSON.stringify(base))

export function keySet(app: Hono<Env>, key: ReportKey | undefined): void {
  const answer = asset({
    type: 'application/jwk-set+json',
    make: async () => `${JSON.stringify({ keys: key?.jwks() ?? [] })}\n`,
    cache: 'public, max-age=300',
    headers: { 'access-control-allow-origin': '*' },
  })
  app.get(KEY_SET_PATH, unlessKnown, answer)
}

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${palette.accent[0]}"/><path d="M8 11h14l-4-4m6 14H10l4 4" fill="none" stroke="${palette['on-accent'][0]}" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`

/** Browsers request it with every page. */
export function favicon(app: Hono<Env>): void {
  app.get('/favicon.ico', (c) =>
    c.body(ICON, 200, {
      'Content-Type': 'image/svg+xml',
      'Cache-Control': 'public, max-age=604800',
      'Content-Security-Policy': "default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
    }),
  )
}

/** JSON Schemas for editors, which `/sandbox/` serves by their names. */
export const schemas = [
  new URL('scenario.schema.json', files.scenarios),
  new URL('overlay.schema.json', files.fidelity),
  new URL('report.schema.json', files.fidelity),
] as const

export const jsonSchema = (url: URL) =>
  asset({ type: 'application/schema+json; charset=utf-8', make: () => readFile(url) })

const NOTE =
  '\n\n**This is the description of the profile `lenient`**: only the fields that it requires are required, and whole numbers ' +
  'may be text where it accepts them. `?validation=documented` returns the other description.\n'

/** Digits that the lenient profile accepts as a whole number. */
const DIGITS = '^\\d{1,15}$'

/** Returns the description with the requirements of the lenient profile. */
function loosened(description: string): Part {
  const document = JSON.parse(description, (_, part: Part) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    const required = part['x-lenient-required']
    if (Array.isArray(required)) return { ...part, required }
    return part['x-lenient-digits'] === true
      ? { ...part, type: ['integer', 'string'], pattern: DIGITS }
      : part
  })
  const { info } = document
  return {
    ...document,
    info: { ...info, description: `${info.description}${NOTE}` },
    'x-validation': 'lenient',
  }
}

/**
 * Serves the lenient description if the profile is `lenient` in `?validation=`, in the world of the
 * credentials, or in the world shown without credentials. Passes all other requests on.
 */
export function lenientDescriptions(
  app: Hono<Env>,
  serving: Dependencies,
  { guide, shared }: { readonly guide: Guide; readonly shared: MiddlewareHandler },
): void {
  const whole = untilMade(async () => loosened(await descriptionJson('service')))
  const shown = (part: () => Promise<Part>) =>
    addressedAsset({
      type: 'application/json',
      make: async ({ origin }) =>
        receiverHere(JSON.stringify(describedHere(annotate(await part()), guide)), origin),
    })
  const reference = shown(async () => withWayToOther('service', await whole()))
  const narrowed = byName((operation) => shown(async () => narrowTo(await whole(), operation)))
  const answers: { readonly [path: string]: (c: Context) => Promise<Response | undefined> } = {
    '/openapi.json': asset({ type: 'application/json', make: async () => JSON.stringify(await whole()) }),
    '/openapi.yaml': asset({
      type: 'application/yaml; charset=utf-8',
      make: async () => (await import('../lib/text/yaml-text.ts')).yamlOf(await whole()),
    }),
    async '/docs/service.json'(c) {
      const operation = c.req.query('operation')
      if (operation === undefined) return reference(c)
      return operationIdsOf(await whole()).includes(operation) ? narrowed(operation)(c) : undefined
    },
  }
  for (const [path, answer] of Object.entries(answers))
    app.get(path, async (c, next) => {
      const profile = c.req.query('validation') ?? (await profileOf(c, serving, guide.username))
      const answered = profile === 'lenient' ? await answer(c) : undefined
      if (answered)
        await unlessKnown(
          c,
          () =>
            shared(c, async () => {
              c.res = answered
            }) as Promise<void>,
        )
      else await next()
      c.res.headers.append('Vary', 'Authorization')
    })
}

/** Invalid credentials count towards the limit, but are not reported. */
async function profileOf(c: Context, serving: Dependencies, username: string) {
  const world = credentialsOf(c) ? (await findCaller(c, serving))?.world : serving.worlds.get(username)
  return world?.settings.validation
}
