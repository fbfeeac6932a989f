/** Profiles as text and as objects: read, checked, and refused with everything that is wrong. */
import { parseDuration } from '../lib/text/duration.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import { andMore, type Issue, MOST_TOLD } from '../lib/text/validation-messages.ts'
import { namesIn } from './fill.ts'
import type { ProfileFile } from './options.ts'
import { type Means, type Probe, type Profile, states } from './profile.ts'
import { checkProfile } from './profile-schema.ts'
import type { Feature } from './profile.ts'

/** A profile is wrong; the message has a line for each fault. */
export class ProfileError extends Error {
  override readonly name = 'ProfileError'
  readonly issues: readonly Issue[]

  constructor(lines: readonly string[], issues: readonly Issue[], more: number) {
    super([...lines.slice(0, MOST_TOLD), ...andMore(more + Math.max(0, lines.length - MOST_TOLD))].join('\n'))
    this.issues = issues
  }
}

/** Variables of the environment, for `${env.NAME}`. */
export type Variables = Readonly<Record<string, string | undefined>>

const LIMITS = { characters: 1_048_576, signs: Infinity }

/** @param file what faults are reported against @throws ProfileError with `file:line:column` */
export async function readProfile(file: string, text: string, env: Variables = {}): Promise<Profile> {
  const { readYaml } = await import('../lib/text/yaml-text.ts')
  const read = readYaml(text, LIMITS)
  if ('issues' in read) {
    const lines = read.issues.map(({ line, column, message }) => `${file}:${line}:${column} ${message}`)
    throw new ProfileError(lines, [], 0)
  }
  const checked = checkProfile(read.value)
  const placed = (issues: readonly Issue[]) =>
    issues
      .map((issue) => ({ ...read.place(issue.path, issue.on_key), message: issue.message }))
      .toSorted((a, b) => a.line - b.line || a.column - b.column)
      .map(({ line, column, message }) => `${file}:${line}:${column} ${message}`)
  if ('issues' in checked) throw new ProfileError(placed(checked.issues), checked.issues, checked.more)
  return profileOf(checked.file, env)
}

/** @throws ProfileError naming each field */
export function profileOfOptions(value: ProfileFile, env: Variables = {}): Profile {
  const checked = checkProfile(value)
  if ('file' in checked) return profileOf(checked.file, env)
  const lines = checked.issues.map(({ path, message }) => `profile.${fieldPath(path)}: ${message}`)
  throw new ProfileError(lines, checked.issues, checked.more)
}

/** What is assumed of a shop that says nothing of what it does. */
const USUAL: readonly Feature[] = ['collect', 'reversals', 'look-ups']
/** Words that let each check have a world of its own. */
const OF_WORLDS = ['sandbox', 'user', 'password', 'authorization']

function profileOf(file: ProfileFile, env: Variables): Profile {
  const { receiver, client = {}, trigger, probe, user = 'demo:demo', features, reconcile } = file
  const [username = '', ...password] = user.split(':')
  const ms = (written: string | number | undefined, fallback: number) =>
    written === undefined ? fallback : parseDuration(written)
  const usesWorlds = namesIn(trigger).some((name) => OF_WORLDS.includes(name)) || commandUsesWorlds(trigger)
  return {
    profile: file.profile,
    sandbox: file.sandbox,
    port: file.port ?? 8080,
    user: { username, password: password.join(':') },
    isolation: file.isolation ?? (usesWorlds ? 'world' : 'shared'),
    receiver: {
      url: receiver?.url,
      within: ms(receiver?.within, 5_000),
      signatures: receiver?.signatures ?? 'standard',
      secret: receiver?.secret === undefined ? undefined : withVariables(receiver.secret, env),
    },
    client: {
      patience: ms(client.patience, 2_000),
      finds_out: ms(client.finds_out, 10_000),
      slow: ms(client.slow, 2_000),
    },
    features: features ?? [...USUAL, ...(reconcile === undefined ? [] : ['reconciliation' as const])],
    trigger,
    probe: probe === undefined ? undefined : probeOf(probe),
    restart: file.restart,
    rotate: file.rotate,
    reconcile,
    isManual: typeof trigger === 'object' && 'manual' in trigger,
    variables: variablesIn(file, env),
    expect: file.expect ?? {},
  }
}

const commandUsesWorlds = (trigger: ProfileFile['trigger']) =>
  typeof trigger === 'object' &&
  'command' in trigger &&
  OF_WORLDS.some((name) => new RegExp(`\\$${name}\\b`).test(trigger.command))

/** Where the shop’s words are those that all share, nothing need be said. */
const PLAIN: Means = Object.fromEntries(states.map((state) => [state, [state]]))

function probeOf(probe: NonNullable<ProfileFile['probe']>): Probe {
  if (typeof probe === 'function') return { ask: probe, means: PLAIN }
  const means = Object.fromEntries(
    states.map((state) => [state, probe.means?.[state]?.map(String) ?? unlessMeant(state, probe.means)]),
  )
  return { ...probe, means }
}

/** A state's own name stands for it, unless the shop means another by it. */
const unlessMeant = (state: string, means: Means = {}) =>
  Object.values(means).some((list) => list?.map(String).includes(state)) ? [] : [state]

function variablesIn(file: ProfileFile, env: Variables): Readonly<Record<string, string>> {
  const names = [file.trigger, file.probe, file.restart, file.rotate, file.reconcile, file.receiver].flatMap(
    namesIn,
  )
  const wanted = names.filter((name) => name.startsWith('env.'))
  return Object.fromEntries(wanted.map((name) => [name, env[name.slice(4)] ?? '']))
}

const withVariables = (text: string, env: Variables) =>
  text.replace(/\$\{env\.(\w+)\}/g, (_, name: string) => env[name] ?? '')
