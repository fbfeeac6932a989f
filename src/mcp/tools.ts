import type { Tool } from './tool.ts'
import { callbacks, checkSignature } from './tools/callbacks.ts'
import { docs } from './tools/docs.ts'
import { explain, listTransactions } from './tools/explain.ts'
import { mendCallbacks } from './tools/mend-callbacks.ts'
import { balances, fund } from './tools/money.ts'
import { pay } from './tools/pay.ts'
import { phone } from './tools/phone.ts'
import { requests } from './tools/requests.ts'
import { scenarios, useScenario, writeScenario } from './tools/scenarios.ts'
import { clock, settle } from './tools/time.ts'
import { rewind, world } from './tools/world.ts'

/** Everything that can be done, by task. */
export const tools: readonly Tool[] = [
  pay,
  explain,
  listTransactions,
  scenarios,
  writeScenario,
  useScenario,
  settle,
  clock,
  phone,
  callbacks,
  checkSignature,
  mendCallbacks,
  requests,
  balances,
  fund,
  world,
  rewind,
  docs,
]
