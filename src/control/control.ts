import { Hono } from 'hono'
import * as api from '../generated/control/routes.ts'
import type { Env } from '../http/env.ts'
import type { Access } from '../http/admit.ts'
import { register } from '../http/register.ts'
import { admin } from './admin.ts'
import { adminScenarios } from './admin-scenarios.ts'
import { apiKeys } from './api-keys.ts'
import { callbacks } from './callbacks.ts'
import { clock } from './clock.ts'
import { events } from './events.ts'
import { explanations } from './explanations.ts'
import type { ControlHandlers } from './handlers.ts'
import { inbox } from './inbox.ts'
import { ledger } from './ledger.ts'
import { others } from './others.ts'
import { outbox } from './outbox.ts'
import type { ControlParts } from './parts.ts'
import { readExport } from './read-export.ts'
import { requests } from './requests.ts'
import { scenarios } from './scenarios.ts'
import { signatures } from './signatures.ts'
import { snapshots } from './snapshots.ts'
import { timeline } from './timeline.ts'
import { wait } from './wait.ts'
import { worlds } from './worlds.ts'

export type { ControlParts } from './parts.ts'

/** The handlers of the control API, by operation id. */
export const control = (parts: ControlParts): ControlHandlers => ({
  ...ledger,
  ...worlds(parts),
  ...snapshots,
  ...apiKeys,
  ...requests,
  ...events,
  ...outbox,
  ...admin,
  ...adminScenarios,
  ...scenarios,
  ...explanations,
  ...others,
  ...callbacks,
  ...wait,
  ...timeline,
  ...signatures(parts),
  ...inbox(parts),
  ...clock(parts),
})

/** The control API as an application, with its operations alone. */
export function createControl(access: Access, parts: ControlParts): Hono<Env> {
  const app = new Hono<Env>()
  register(app, access, {
    ...api,
    kind: 'control',
    handlers: control(parts),
    bodyLimits,
    bodyReaders: { importWorld: readExport },
    always: controlAlways,
  })
  return app
}

/** Bytes that bodies may have where it is not the usual limit. */
const bodyLimits = { importWorld: 64 * 1_048_576, putScenario: 65_536 }

/**
 * Operations that a world whose budget is spent still has: what gives room back, what ends work that was accepted, and
 * what looks for itself whether there is room.
 */
const controlAlways: ReadonlySet<string> = new Set([
  'resetWorld',
  'restoreSnapshot',
  'importWorld',
  'createSnapshot',
  'createWorld',
  'freezeClock',
  'advanceClock',
  'resumeClock',
  'setClockSpeed',
  'settle',
  'simulateTransaction',
])
