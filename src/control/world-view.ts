import { formatKeep } from '../service/vocabulary/keep.ts'
import { strongestRole } from '../service/domain/access.ts'
import { type Caller, failingJobs, type Look, pendingJobs, type Settings } from '../service/domain/context.ts'
import { archivedIn } from '../service/domain/archive.ts'
import { exactTime, wireTime } from '../service/domain/wire-time.ts'
import { formatDuration } from '../lib/text/duration.ts'
import type { CallersKey, World as WorldView, WorldSettings } from '../generated/control/schemas.ts'
import type { Call } from '../http/handler.ts'
import { formatSettleAfter } from '../service/vocabulary/settle-after.ts'
import { scenarioBytes, SCENARIO_STATE, stateIn } from '../scenarios/state.ts'
import { spendingOf, type World } from '../worlds/world.ts'

export async function worldView(world: World, home: string): Promise<WorldView> {
  await world.journal.look()
  const { transactions, folded, ...jobs } = await world.read((look) => ({
    transactions: look.rows.get('counters', 'transaction')?.value ?? 0,
    folded: archivedIn(look)?.transactions ?? 0,
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
    clock: { now: wireTime(world.clock.now()), factor: world.clock.state.factor },
    settings: settingsView(world.settings),
    transactions,
    kept: transactions - folded,
    folded,
    ...jobs,
    requests: world.journal.size,
  }
}

/** A world with what it has spent of its budget, and the key that asks. */
export async function worldDetails(world: World, home: string, asked: AskedBy): Promise<WorldView> {
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

/** Who asks, by a key of which world. */
export type AskedBy = Pick<Call, 'world' | 'caller'>

function callersKey(look: Look, caller: Caller): CallersKey {
  const { username, user_id } = caller
  const { expires_at } = look.rows.get('apiKeys', username.replace(/\+.*$/, '')) ?? {}
  return {
    username,
    user_id,
    role: strongestRole(look, caller),
    expires_at: expires_at === undefined ? null : exactTime(expires_at),
  }
}

export const settingsView = (settings: Settings): WorldSettings => ({
  settle_after: formatSettleAfter(settings.settle_after),
  review_after: formatDuration(settings.review_after),
  callback_shape: settings.callback_shape,
  signatures: settings.signatures,
  retry_profile: settings.retry_profile,
  retry_speed: settings.retry_speed,
  retry_jitter: settings.retry_jitter,
  trace_context: settings.trace_context ?? 'passed',
  callback_timeout: formatDuration(settings.callback_timeout),
  validation: settings.validation,
  generation: settings.generation,
  payer: settings.payer ?? 'automatic',
  realism: settings.realism,
  keep: formatKeep(settings.keep),
  tiers: [...settings.tiers],
  // JSON has no number without end.
  costs: settings.costs.map(({ up_to, cost }) => ({ up_to: Number.isFinite(up_to) ? up_to : null, cost })),
})
