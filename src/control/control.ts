import { Hono } from 'hono'
import * as api from '../generated/control/routes.ts'
import type { Env } from '../http/exchange.ts'
import { bindRoutes } from '../http/serve.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { admin, auditHandlers } from './admin.ts'
import { apiKeys } from './api-keys.ts'
import { callbacks, signatures } from './callbacks.ts'
import { checkouts, simulate } from './simulate.ts'
import { clock, jobs } from './jobs.ts'
import { events } from './events.ts'
import { fidelity } from './fidelity.ts'
import { requests } from './requests.ts'
import type { ControlHandlers } from '../http/handler.ts'
import { incidents } from './incidents.ts'
import { inbox, outbox } from './inbox.ts'
import { lease } from './lease.ts'
import { ledger, statements } from './ledger.ts'
import { overview } from './overview.ts'
import type { ControlDependencies } from './dependencies.ts'
import { phones } from './phones.ts'
import { prepare } from './prepare.ts'
import { scenarios } from './scenarios.ts'
import { worldHandlers } from './worlds.ts'
import { snapshots } from './snapshots.ts'
import { teams } from './teams.ts'
import { certification } from './certification.ts'
import { certificationRuns } from './certification-runs.ts'
import { timeline } from './timeline.ts'
import { transactions } from './transactions.ts'
import { wait } from './wait-for-callbacks.ts'

export const control = (dependencies: ControlDependencies): ControlHandlers => ({
  ...ledger(dependencies),
  ...certification(dependencies),
  ...certificationRuns(dependencies),
  ...statements(dependencies),
  ...worldHandlers(dependencies),
  ...lease(dependencies),
  ...snapshots(dependencies),
  ...apiKeys(dependencies),
  ...requests(dependencies),
  ...events(dependencies),
  ...fidelity(dependencies),
  ...outbox(dependencies),
  ...admin(dependencies),
  ...auditHandlers(dependencies),
  ...scenarios(dependencies),
  ...incidents(dependencies),
  ...simulate(dependencies),
  ...phones(dependencies),
  ...callbacks(dependencies),
  ...checkouts(dependencies),
  ...wait(dependencies),
  ...prepare(dependencies),
  ...overview(dependencies),
  ...transactions(dependencies),
  ...teams(dependencies),
  ...jobs(dependencies),
  ...timeline(dependencies),
  ...signatures(dependencies),
  ...inbox(dependencies),
  ...clock(dependencies),
})

export function createControl(serving: Dependencies, dependencies: ControlDependencies): Hono<Env> {
  const app = new Hono<Env>()
  bindRoutes(app, serving, { ...api, kind: 'control', handlers: control(dependencies) })
  return app
}
