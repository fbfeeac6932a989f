/** What the process is told about signatures, read once at the start. */
import * as z from 'zod'
import { lazy } from '../lazy.ts'
import { checkSchemes, parseSchemes, type Scheme } from './schemes.ts'
import { checkSecret, DEMO_SIGNING_SECRET, deriveSecret } from './secrets.ts'

const Listed = lazy(() => {
  const Custom = z.strictObject({
    profile: z.literal('custom'),
    header: z.string().min(1),
    algorithm: z.enum(['sha1', 'sha256', 'sha512']),
    encoding: z.enum(['hex', 'base64', 'base64url']),
    template: z.string(),
    format: z.string().exactOptional(),
    headers: z.record(z.string(), z.string()).exactOptional(),
    key: z.enum(['utf8', 'base64']).exactOptional(),
  })
  return z.array(z.union([z.string(), Custom])).min(1)
})

const known = new Map<string, readonly Scheme[]>()
/** Texts come from settings; a world that is given ever new ones must not fill the memory. */
const MOST_KNOWN = 100

/**
 * Reads a setting of signatures: `standard,stripe`, or a JSON list of such names and `custom` objects.
 * @throws Error that says what is wrong with it
 */
export function readSchemes(text: string): readonly Scheme[] {
  const read = known.get(text)
  if (read) return read
  const schemes = text.trimStart().startsWith('[') ? readList(text) : parseSchemes(text)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(text, schemes)
  return schemes
}

function readList(text: string): Scheme[] {
  const list = Listed().safeParse(json(text))
  if (!list.success)
    throw new Error(
      `a list must be JSON whose entries are profiles' names or {"profile": "custom", "header": "X-Signature", "algorithm": "sha256", "encoding": "hex", "template": "{timestamp}.{body}"}; ${firstIssue(list.error)}`,
    )
  const schemes = list.data.flatMap((each) => (typeof each === 'string' ? parseSchemes(each) : [each]))
  checkSchemes(schemes)
  return schemes
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Where the list is wrong; of an object what makes it no `custom` one. */
function firstIssue({ issues }: z.ZodError): string {
  const [issue] = issues
  const inner = issue?.code === 'invalid_union' ? issue.errors.at(-1)?.[0] : undefined
  const path = [...(issue?.path ?? []), ...(inner?.path ?? [])]
  return path.length === 0
    ? 'it is not'
    : `${path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')}: ${(inner ?? issue)!.message}`
}

/**
 * The first secret of a world: that of the default world is set or the documented one, the others follow from it.
 * @param world its name; with `:` and more behind it, a later secret of the world
 */
export type FirstSecret = (world: string) => string

/** What only the operator and the default world's owner know, in hosted mode. */
export interface HostedSecrets {
  readonly ownerPassword: string
  /** What no caller of any world knows. */
  readonly operator: string
}

/**
 * @param home the default world's name
 * @param set the secret of `SANDBOX_SIGNING_SECRET`, or null
 * @param own what else only this process knows: its API password; in hosted mode nothing follows from what is public
 * @throws Error when it is no secret
 */
export function firstSecrets(home: string, set: string | null, own: string | HostedSecrets): FirstSecret {
  const given = set === null ? null : checkSecret(set)
  const hosted = typeof own === 'object'
  const ours = hosted ? `${own.operator}\0${own.ownerPassword}` : own
  const secret = given ?? (hosted ? deriveSecret(ours, home) : DEMO_SIGNING_SECRET)
  return (world) => (world === home ? secret : deriveSecret(`${secret}\0${ours}`, world))
}
