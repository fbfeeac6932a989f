import type { Context, Hono } from 'hono'
import { readFile } from 'node:fs/promises'
import { browserFile, descriptionJson, files } from '../../lib/files.ts'
import { isForeign } from '../../http/admin-guard.ts'
import { isAmong } from '../../http/cross-origin.ts'
import type { Dependencies } from '../../http/dependencies.ts'
import type { Env } from '../../http/exchange.ts'
import { didYouMean } from '../../lib/text/suggest.ts'
import { addressedAsset, asset, byName, readBuilt, types, unlessKnown, untilMade } from '../asset.ts'
import type { PageOptions } from '../page.ts'
import { type OperationSheet, sheetOf, type ShownSheet } from './sheet.ts'
import { operationIdsOf, type Part } from '../viewer/description.ts'
import { READERS, shareWith } from '../viewer/policy.ts'
import { receiverHere } from '../viewer/for-this-sandbox.ts'
import { notFound, ServiceError } from '../../service/domain/errors.ts'
import type { Guide } from '../../worlds/guide.ts'

/** Serves `/docs/embed.js` and the files its element loads, which are read on first use. */
export function embedPages(
  app: Hono<Env>,
  { guide, embedOrigins }: PageOptions,
  serving: Dependencies,
): void {
  const shared = shareWith(embedOrigins)
  const built = untilMade(async () => {
    const found = await readBuilt<BuiltElement>(files.embed)
    if (!found) throw new ServiceError('unavailable', 'the element is not built; run npm run build')
    return found
  })
  // The viewer's frame works without a build.
  const whole = async () =>
    browserFile('frame.js') +
    (await built().then(
      ({ shell }) => shell,
      () => '',
    ))
  app.get('/docs/embed.js', shared, unlessKnown, asset({ type: types.js, make: whole }))
  app.get(
    '/docs/embed.css',
    shared,
    unlessKnown,
    asset({ type: types.css, make: async () => browserFile('embed.css') }),
  )
  const sheet = sheets(guide, serving)
  const renderer = asset({
    type: types.js,
    make: async () => readFile(new URL((await built()).renderer, files.embed)),
    cache: 'public, max-age=31536000, immutable',
  })
  app.get('/docs/embed/:file', shared, unlessKnown, async (c) => {
    const name = c.req.param('file')
    const operation = /^(.*)\.json$/.exec(name)?.[1]
    if (operation !== undefined) return sheet(c, operation)
    if (!name.endsWith('.js') || (await built()).renderer !== name) throw notFound('file', name)
    return renderer(c)
  })
}

/** Serves the sheets of operations, cached by name and by whether the reader may send requests. */
function sheets(guide: Guide, { corsOrigins, guests }: Dependencies) {
  const { readers } = guests.rules
  const description = untilMade(async (): Promise<Part> => JSON.parse(await descriptionJson('service')))
  const { username, password } = guide
  const text = (sheet: OperationSheet, mayTry: boolean, origin: string): string => {
    const shown: ShownSheet = {
      ...sheet,
      mayTry,
      ...(readers && { reader: READERS }),
      ...(!readers && password !== undefined && { credentials: { username, password } }),
    }
    return receiverHere(teamHere(JSON.stringify(shown), guide), origin)
  }
  const made = (mayTry: boolean) =>
    byName((operation) =>
      addressedAsset({
        type: 'application/json',
        make: async ({ origin }) => text(sheetOf(await description(), operation)!, mayTry, origin),
      }),
    )
  const [toTry, toRead] = [made(true), made(false)]
  return async (c: Context, operation: string): Promise<Response> => {
    const mayTry = !isForeign(c) || isAmong(c.req.header('origin') ?? '', corsOrigins)
    c.header('Vary', 'Origin', { append: true })
    const known = operationIdsOf(await description())
    if (!known.includes(operation)) throw unknownOperation(operation, known)
    return (mayTry ? toTry : toRead)(operation)(c)
  }
}

const unknownOperation = (operation: string, known: readonly string[]) =>
  new ServiceError(
    'resource_not_found',
    `${operation === '' ? 'the attribute operation is missing' : `no operation ${operation} can be embedded${didYouMean(operation, known)}`}; there are ${known.join(', ')}`,
  )

/** The Team in the written examples. */
const WRITTEN = /("(?:account|vendor)_id":)63\b/g

/** Replaces that Team with one that can collect in this sandbox. */
const teamHere = (json: string, { collector }: Guide): string =>
  collector ? json.replace(WRITTEN, (_, before: string) => before + String(collector.id)) : json

/** The built element in `files.embed`. */
export interface BuiltElement {
  /** Loaded first by the page: defines the element and reserves its space. */
  readonly shell: string
  /**
   * The script that renders an operation, loaded when an element becomes visible. Its name contains a hash.
   */
  readonly renderer: string
}
