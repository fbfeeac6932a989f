import { handlers, ok } from './page.ts'
import { readSignatures } from '../callbacks/signatures/profiles/profiles.ts'
import type { ControlDependencies } from './dependencies.ts'
import { WorldSettingsChange as settingsSchema } from '../generated/control/schemas.ts'
import type {
  CallersKey,
  CreatedWorld,
  CreateWorldRequest,
  World as WorldView,
  WorldSettings,
  WorldSettingsChange,
} from '../generated/control/types.ts'
import type { Call } from '../http/handler.ts'
import { bearerIn } from '../http/caller.ts'
import { validationError } from '../http/errors.ts'
import { boundedTime, FIRST_TIME, LAST_TIME, type Clock, type ClockState } from '../lib/clock/clock.ts'
import { formatDuration } from '../lib/text/duration.ts'
import { reporting } from '../lib/text/validation-messages.ts'
import { SCENARIO_STATE, scenarioBytes, stateIn } from '../scenarios/library.ts'
import { releasePayments } from '../scheduler/scheduler.ts'
import { requireOwner, strongestRole } from '../service/domain/access.ts'
import { archivedIn } from '../service/domain/archive.ts'
import { type Caller, failingJobs, type Look, pendingJobs, type Settings } from '../service/domain/context.ts'
import { invalid, noneLeft, notFound, ServiceError } from '../service/domain/errors.ts'
import { exactOrNull, exactTime, wireTime } from '../service/domain/wire-time.ts'
import { protectionTexts } from '../service/vocabulary/receiver-protection.ts'
import { formatKeep } from '../service/vocabulary/keep.ts'
import { formatSettleAfter } from '../service/vocabulary/settle-after.ts'
import type { WorldRows } from '../storage/store/change.ts'
import { makeWorld, type Worlds } from '../worlds/registry.ts'
import { keepFor } from '../worlds/populate/draw.ts'
import { requireSound } from '../worlds/seeds.ts'
import {
  changedSettings,
  mergeChanges,
  SETTINGS,
  type SettingsChange,
  stateIn as stateOf,
} from '../worlds/settings.ts'
import { spendingOf, type World } from '../worlds/world.ts'

export const worldHandlers = handlers((dependencies) => {
  const { worlds, defaults } = dependencies
  return {
    async listWorlds({ world, request }) {
      const { before = Infinity, limit = 100, search = '' } = request.query
      const { names, ...page } = await worlds.directory.owned({
        owner: world.name,
        isHome: world.name === worlds.home,
        before,
        limit,
        search: search.toLowerCase(),
      })
      const found = await Promise.all(names.map((name) => worlds.find(name)))
      const views = await Promise.all(
        found.filter((each) => each !== undefined).map((each) => worldView(each, worlds.home)),
      )
      return ok({ worlds: views, ...page })
    },

    async createWorld({ world: parent, origin, request }) {
      const { name, seed, clock, populate: asked_for, settings: told, ...rest } = request.body
      const given = told && (await withOverlay(told))
      const populate = asked_for ?? seed?.populate
      const plain = name === undefined ? given : { ...given, name }
      const asked = populate ? { retention: keepFor(populate), ...plain } : plain
      noneLeft(rest)
      if (seed) requireSound(seed)
      const settings = asked && settingsChange(asked, defaults.current())
      const made = await dependencies.guests.beside(parent, () =>
        makeWorld(dependencies, {
          parent,
          seed,
          settings: seed ? mergeChanges({ tiers: seed.tiers, costs: seed.costs }, settings ?? {}) : settings,
          clock: clock && clockState(clock, parent.clock),
          populate,
        }),
      )
      return { status: 201, body: await createdWorld(dependencies, made, origin) }
    },

    async getWorld(call) {
      const { world: own, caller } = call
      const { world: id } = call.request.path
      if (id !== 'current' && id !== own.name) await own.read((look) => requireOwner(look, caller))
      return ok(await worldDetails(await requireWorld(worlds, own, id), worlds.home, call))
    },

    async updateWorld(call) {
      const world = await requireWorld(worlds, call.world, call.request.path.world)
      await world.configure(settingsChange(await withOverlay(call.request.body), defaults.current()))
      if (call.request.body.payer !== undefined) await releasePayments(world)
      return ok(await worldDetails(world, worlds.home, call))
    },

    async deleteWorld(call) {
      const world = await requireWorld(worlds, call.world, call.request.path.world)
      if (world.name === worlds.home)
        throw invalid(
          `world ${world.name} is the default world and cannot be deleted; reset it with POST /sandbox/reset`,
        )
      await worlds.drop(world.name)
      return ok({ deleted: 1 })
    },

    async resetWorld({ world }) {
      return ok(await begunAgain(world, () => worlds.reset(world.name)))
    },

    async signUp(call) {
      const { request, countedAs, origin } = call
      const { guests, links } = dependencies
      const { name, ...rest } = request.body
      noneLeft(rest)
      if (links?.required)
        throw invalid(
          'this sandbox needs an e-mail address to sign up (SANDBOX_SIGN_UP_EMAIL): POST /sandbox/sign-up/links with {"email": …}',
        )
      const token = guests.requireSignUp(bearerIn(call.header('authorization')))
      const made = await guests.make('sign-up', { address: countedAs, name, token })
      return { status: 201, body: await createdWorld(dependencies, made, origin) }
    },

    async sendSignUpLink(call) {
      const { request, countedAs: caller } = call
      const { guests, links } = dependencies
      const { email, purpose = 'create', name, ...rest } = request.body
      noneLeft(rest)
      const token = guests.requireSignUp(bearerIn(call.header('authorization')))
      if (!links)
        throw new ServiceError(
          'resource_not_found',
          'sign-up by e-mail is off; the operator of the sandbox can turn it on with SANDBOX_SMTP_URL and SANDBOX_PUBLIC_URL',
        )
      const expires_at = await links.send({ email, purpose, caller, name, token })
      return { status: 202, body: { expires_at: exactTime(expires_at) } }
    },
  }
})

/** The response to a created world, with everything its owner needs. */
export async function createdWorld(
  { worlds, inboxes, firstSecret }: Pick<ControlDependencies, 'worlds' | 'inboxes' | 'firstSecret'>,
  { world, api_keys }: Awaited<ReturnType<typeof makeWorld>>,
  origin: string,
): Promise<CreatedWorld> {
  return {
    world: await worldView(world, worlds.home),
    credentials: api_keys[0]!,
    api_keys: [...api_keys],
    base_url: origin,
    inbox_url: inboxes.address(origin, world.name, 'default'),
    signing_secret: firstSecret(world.name),
  }
}

/** Replaces the rows of a world and reports the cancelled jobs. */
export async function begunAgain(world: World, work: () => Promise<World>) {
  const cancelled_jobs = await world.read(pendingJobs)
  const fresh = await work()
  return { id: fresh.name, cancelled_jobs, now: exactTime(fresh.clock.now()) }
}

async function requireWorld(worlds: Worlds, own: World, id: string): Promise<World> {
  const found = id === 'current' ? own : await worlds.find(id)
  if (!found || !looksAfter(worlds, own, found)) throw notFound('world', id)
  return found
}

/**
 * A world manages itself and the worlds created from it; the default world also manages its copies, which
 * share its password.
 */
function looksAfter({ home }: Worlds, owned: World, world: World): boolean {
  if (world.name === owned.name) return true
  return world.template ? world.template.parent === owned.name : owned.name === home
}

function clockState(
  { at, speed }: NonNullable<CreateWorldRequest['clock']>,
  { wall }: Clock,
): ClockState | undefined {
  if (at === undefined && speed === undefined) return undefined
  const world_anchor = at === undefined ? wall() : Date.parse(at)
  if (world_anchor !== boundedTime(world_anchor))
    throw invalid(`clock.at must be from ${exactTime(FIRST_TIME)} to ${exactTime(LAST_TIME)}, got "${at}"`)
  return { real_anchor: wall(), world_anchor, speed: speed ?? 0 }
}

async function worldView(world: World, home: string): Promise<WorldView> {
  await world.journal.look()
  const { transactions, archived, ...jobs } = await world.read((look) => ({
    transactions: look.rows.get('counters', 'transaction')?.value ?? 0,
    archived: archivedIn(look)?.transactions ?? 0,
    pending_jobs: pendingJobs(look),
    failing_jobs: failingJobs(look).length,
  }))
  return {
    id: world.name,
    name: world.settings.name || null,
    number: world.number,
    parent: world.template?.parent ?? null,
    disposable: world.name !== home,
    last_used_at: wireTime(world.used_at),
    clock: { now: wireTime(world.clock.now()), speed: world.clock.state.speed },
    settings: settingsView(world.settings),
    transactions,
    retained: transactions - archived,
    archived,
    ...jobs,
    requests: world.journal.size,
    plan: world.template?.plan ?? null,
  }
}

async function worldDetails(
  world: World,
  home: string,
  asked: Pick<Call, 'world' | 'caller'>,
): Promise<WorldView> {
  await Promise.all([world.journal.look(), world.snapshots.look()])
  const scenarios = await world.read(({ rows }) => stateIn(rows.get('state', SCENARIO_STATE)))
  await world.budget.look()
  const budget = spendingOf(world, scenarioBytes(scenarios))
  return {
    ...(await worldView(world, home)),
    budget: budget.map(({ limit, ...spent }) => ({ ...spent, limit: Number.isFinite(limit) ? limit : null })),
    key: await asked.world.read((look) => callersKey(look, asked.caller)),
  }
}

function callersKey(look: Look, caller: Caller): CallersKey {
  const { username, user_id } = caller
  const { expires_at } = look.rows.get('apiKeys', username.replace(/\+.*$/, '')) ?? {}
  return {
    username,
    user_id,
    role: strongestRole(look, caller),
    expires_at: exactOrNull(expires_at),
  }
}

const settingsView = (settings: Settings): WorldSettings => ({
  settle_after: formatSettleAfter(settings.settle_after),
  review_after: formatDuration(settings.review_after),
  callback_shape: settings.callback_shape,
  signatures: settings.signatures,
  retry_profile: settings.retry_profile,
  retry_speed: settings.retry_speed,
  retry_jitter: settings.retry_jitter,
  trace_context: settings.trace_context ?? 'propagate',
  callback_timeout: formatDuration(settings.callback_timeout),
  validation: settings.validation,
  generation: settings.generation,
  payer: settings.payer ?? 'automatic',
  observed: settings.observed ? JSON.stringify(settings.observed) : '',
  protected_by: [...protectionTexts(settings.receiver_protection)],
  realism: settings.realism,
  retention: formatKeep(settings.retention),
  tiers: [...settings.tiers],
  // JSON cannot represent Infinity.
  costs: settings.costs.map(({ up_to, cost }) => ({ up_to: Number.isFinite(up_to) ? up_to : null, cost })),
})

/**
 * Validates a change and returns it in the form that is stored. An invalid change would keep the world from
 * opening again.
 * @throws {ServiceError} 400 naming the field and its value
 */
function settingsChange(body: WorldSettingsChange, defaults: Settings): SettingsChange {
  const { signatures, protected_by: _, ...others } = body
  const change: SettingsChange = {
    ...others,
    ...(signatures !== undefined && { signatures: signaturesText(signatures) }),
  }
  changedSettings(defaults, change)
  return change
}

/** Checks an overlay, and replaces its text by JSON. @throws {ServiceError} 400 with line, column, field path and the nearest name */
async function withOverlay(change: WorldSettingsChange): Promise<WorldSettingsChange> {
  if (!change.observed) return change
  const { OverlayError, readOverlay } = await import('../fidelity/overlay.ts')
  try {
    return { ...change, observed: JSON.stringify(await readOverlay(change.observed)) }
  } catch (error) {
    throw error instanceof OverlayError ? invalid(error.message) : error
  }
}

/** Validates the settings among imported rows. @throws {ServiceError} 400 if they are invalid */
export async function requireSettings(rows: WorldRows, defaults: Settings): Promise<void> {
  const kept = settingsSchema().safeParse(stateOf(rows, SETTINGS) ?? {}, reporting)
  if (!kept.success) throw validationError(kept.error)
  settingsChange(await withOverlay(kept.data), defaults)
}

function signaturesText(signatures: NonNullable<WorldSettingsChange['signatures']>): string {
  const text = typeof signatures === 'string' ? signatures : JSON.stringify(signatures)
  try {
    readSignatures(text)
  } catch (error) {
    throw invalid(`signatures ${JSON.stringify(signatures)}: ${(error as Error).message}`)
  }
  return text
}
