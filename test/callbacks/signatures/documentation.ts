/** The tables of docs/signatures.md: the profiles, and the verdict of each verifier on each kind of callback. */
import { SIGNATURE_FAULTS } from '../../../src/callbacks/attempt.ts'
import {
  profiles,
  readSignatures,
  signed,
  type SignedCallback,
  type SigningRequest,
} from '../../../src/callbacks/signatures/profiles/profiles.ts'
import { signingKeys } from '../../../src/callbacks/signatures/secrets.ts'
import { settings } from '../../../src/config/settings.ts'
import { keys, NOW, OLD_SECRET, REQUEST, SECRET } from './fixtures.ts'
import { accepted, VERIFIERS, type Verifier } from './verifiers.ts'

interface Kind {
  readonly name: string
  readonly make: (signing: SigningRequest) => SignedCallback
  /** What the receiver was set up with. */
  readonly receiverSecret: string
}

const rotating = signingKeys([SECRET, OLD_SECRET])

const KINDS: readonly Kind[] = [
  { name: 'valid', make: signed, receiverSecret: SECRET },
  {
    name: 'valid, rotation, receiver has the new secret',
    make: (signing) => signed({ ...signing, keys: rotating }),
    receiverSecret: SECRET,
  },
  {
    name: 'valid, rotation, receiver has the old secret',
    make: (signing) => signed({ ...signing, keys: rotating }),
    receiverSecret: OLD_SECRET,
  },
  ...Object.entries(SIGNATURE_FAULTS).map(([name, make]) => ({ name, make, receiverSecret: SECRET })),
]

export const KIND_NAMES = KINDS.map((kind) => kind.name)

/** Seconds a callback is on its way. */
const TRAVEL = 1

/** `accepted` by verifier, then by kind. */
export async function verdicts(): Promise<Map<string, Map<string, boolean>>> {
  const table = new Map<string, Map<string, boolean>>()
  for (const verifier of VERIFIERS) {
    const row = new Map<string, boolean>()
    for (const kind of KINDS) row.set(kind.name, await verdict(verifier, kind))
    table.set(verifier.name, row)
  }
  return table
}

function verdict(verifier: Verifier, kind: Kind): Promise<boolean> {
  const sent = kind.make({ request: REQUEST, signatures: [verifier.settings], keys })
  const received = {
    method: REQUEST.method,
    url: REQUEST.url,
    headers: sent.headers,
    // A receiver that does not notice the cut connection is left with these bytes.
    body: sent.body.subarray(0, sent.cutAt ?? sent.body.length),
  }
  return accepted(verifier, received, kind.receiverSecret, NOW + TRAVEL)
}

/** The profiles as Markdown, one row each; `none` is the last. */
export function profilesMarkdown(): string {
  const [first] = readSignatures(settings.signatures.fallback)
  const rows = profiles.map(({ name, about: { headers, signed, key, form } }) => {
    const mark = name === first!.profile ? ' (default)' : ''
    return `| ${[`\`${name}\`${mark}`, headers, signed, key, form].join(' | ')} |`
  })
  return ['| Profile | Headers | Signed bytes | Key | Form |', `|${' --- |'.repeat(5)}`, ...rows].join('\n')
}

/** The verdicts as Markdown: a row for each kind of callback, a column for each verifier. */
export async function verdictsMarkdown(): Promise<string> {
  const table = await verdicts()
  const names = [...table.keys()]
  const rows = KIND_NAMES.map((kind) => {
    const cells = names.map((name) => (table.get(name)?.get(kind) ? '✓' : '–'))
    return `| ${[kind, ...cells].join(' | ')} |`
  })
  const signatures = VERIFIERS.map((verifier) => `\`${verifier.settings.profile}\``)
  return [
    `| Callback | ${names.join(' | ')} |`,
    `|${' --- |'.repeat(names.length + 1)}`,
    `| profile | ${signatures.join(' | ')} |`,
    ...rows,
  ].join('\n')
}
