/** The service's description as the profile `lenient` has it, served to worlds with that profile. */
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { descriptionJson } from '../files.ts'
import { credentialsOf, findCaller } from '../http/authorize.ts'
import type { Dependencies } from '../http/dependencies.ts'
import type { Env } from '../http/exchange.ts'
import type { Guide } from '../worlds/guide.ts'
import { addressedAsset, asset, unlessKnown, untilMade } from './asset.ts'
import { annotate } from './viewer/annotate.ts'
import { describedHere } from './viewer/described-here.ts'
import { narrowTo, type Part } from './viewer/description.ts'
import { withWayToOther } from './viewer/other-reference.ts'
import { receiverHere } from './viewer/receiver-here.ts'

const NOTE =
  '\n\n**This is the description as the profile `lenient` has it**: required is what that profile asks for, and whole numbers ' +
  'may be text where it takes them so. `?validation=documented` gives the other.\n'

/** Digits as the profile takes them for a whole number. */
const DIGITS = '^\\d{1,15}$'

/** What the profile asks for, in the place of what `documented` asks for. */
export function loosened(description: string): Part {
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
 * Answers for the description where the profile is `lenient`: by `?validation=`, by the world of the credentials, or by the world
 * that is shown to whoever has none. All other requests go on.
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
  const narrowed = new Map<string, Answer>()
  const answers: { readonly [path: string]: Answer } = {
    '/openapi.json': asset({ type: 'application/json', make: async () => JSON.stringify(await whole()) }),
    '/openapi.yaml': asset({
      type: 'application/yaml; charset=utf-8',
      make: async () => (await import('../lib/text/yaml-text.ts')).yamlOf(await whole()),
    }),
    async '/docs/service.json'(c) {
      const operation = c.req.query('operation')
      if (operation === undefined) return reference(c)
      const known = narrowed.get(operation)
      if (known) return known(c)
      const part = narrowTo(await whole(), operation)
      if (!part) return undefined
      const made = shown(async () => part)
      narrowed.set(operation, made)
      return made(c)
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

type Answer = (c: Context) => Promise<Response | undefined>

/** Wrong credentials are counted as everywhere, and told nothing. */
async function profileOf(c: Context, serving: Dependencies, username: string) {
  const world = credentialsOf(c) ? (await findCaller(c, serving))?.world : serving.worlds.get(username)
  return world?.settings.validation
}
