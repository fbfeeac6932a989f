/** `SANDBOX_SIGNATURES`, and what a world sets in its place: which profiles callbacks are signed with. */
import * as z from 'zod'
import { fieldPath } from '../../lib/text/field-path.ts'
import { lazy } from '../../lib/lazy.ts'
import { headersOf, profileNamed, profiles, type SignatureSettings } from './profiles/profiles.ts'
import { parsedJson } from '../../lib/text/parsed-json.ts'
import { issuesText, reporting } from '../../lib/text/validation-messages.ts'

const known = new Map<string, readonly SignatureSettings[]>()
/** Texts come from settings; a world that is given ever new ones must not fill the memory. */
const MOST_KNOWN = 100

/**
 * Reads a list such as `standard,stripe`, where `rfc9421:der` or `token:x-my-header` set the one thing that a profile can
 * be given, or a JSON list of such texts and of objects that describe a `custom` signature.
 * @throws Error that says what is wrong with it
 */
export function readSignatures(text: string): readonly SignatureSettings[] {
  const read = known.get(text)
  if (read) return read
  const signatures = readText(text)
  checkSettings(signatures)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(text, signatures)
  return signatures
}

const readText = (text: string) => (text.trimStart().startsWith('[') ? readJson(text) : readNames(text))

const readNames = (text: string) => text.split(',').map((part) => readName(part.trim()))

function readName(part: string): SignatureSettings {
  const colon = part.indexOf(':')
  const name = colon === -1 ? part : part.slice(0, colon)
  const profile = profileNamed(name)
  if (!profile?.defaults) {
    const possible = profiles.filter(({ defaults }) => defaults !== null).map((each) => each.name)
    throw new Error(`signature profile "${name}" is not known: use ${possible.join(', ')}`)
  }
  if (colon === -1) return profile.defaults
  const value = part.slice(colon + 1)
  const settings = profile.set?.(value)
  if (!settings) throw new Error(`signature profile "${part}": ${name} cannot be set to "${value}"`)
  return settings
}

const described = profiles.flatMap((profile) => profile.described ?? [])

const List = lazy(() => z.array(z.union([z.string(), ...described.map(({ schema }) => schema())])).min(1))

function readJson(text: string): SignatureSettings[] {
  const list = List().safeParse(parsedJson(text), reporting)
  if (list.success) return list.data.flatMap((each) => (typeof each === 'string' ? readText(each) : [each]))
  const examples = described.map(({ example }) => example).join(' or ')
  const issues = issuesText(list.error, { name: (path) => fieldPath(path) || 'it' })
  throw new Error(`a list must be JSON whose entries are profiles' names or ${examples}; ${issues}`)
}

/** What the request itself says, which a signature must not say otherwise. */
const OWN_HEADERS = new Set([
  'host',
  'content-type',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'cdn-loop',
  'expect',
  'te',
  'trailer',
])

/**
 * @throws Error when two signatures are written to the same header, a header's name cannot be one, or a profile says that
 * its settings are not sound
 */
export function checkSettings(signatures: readonly SignatureSettings[]): void {
  const taken = new Map<string, string>()
  for (const settings of signatures) {
    const { profile } = settings
    for (const header of headersOf(settings)) {
      if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(header))
        throw new Error(`"${header}" cannot be the name of a header`)
      if (OWN_HEADERS.has(header.toLowerCase()))
        throw new Error(`the header ${header} belongs to the request itself: give ${profile} another`)
      const other = taken.get(header.toLowerCase())
      if (other !== undefined)
        throw new Error(`${other} and ${profile} both write the header ${header}: give one of them another`)
      taken.set(header.toLowerCase(), profile)
    }
    profileNamed(profile)!.requireSound?.(settings)
  }
}
