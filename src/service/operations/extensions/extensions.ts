/** The operations of the API's older generation, which the specification does not have; loaded at the first request for one. */
import { Hono } from 'hono'
import * as api from '../../../generated/extensions/routes.ts'
import type { Dependencies } from '../../../http/dependencies.ts'
import type { Env } from '../../../http/exchange.ts'
import type { ExtensionHandlers } from '../../../http/handler.ts'
import { bindRoutes } from '../../../http/bind-routes.ts'
import { referenceData } from './reference-data.ts'
import { transactions } from './transactions.ts'
import { wallets } from './wallets.ts'

/** The handlers, by operation id. */
export const extensions: ExtensionHandlers = { ...referenceData, ...transactions, ...wallets }

/** An application with these operations alone. */
export function createExtensions(serving: Dependencies): Hono<Env> {
  const app = new Hono<Env>()
  bindRoutes(app, serving, { ...api, kind: 'service', handlers: extensions })
  return app
}
