/** Runs every receiver against every fault: check/main.ts [--write] [--certify] [receiver…]. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createSandbox } from '../../../src/index.ts'
import { certifyReceiver } from './certify.ts'
import { NotHere, receivers } from './receivers.ts'
import { scenariosWithoutRow } from './scenarios.ts'
import { pageWith } from './table.ts'
import { makeReady, type Outcome, type Ready, tryOut } from './try.ts'

const PAGE = 'docs/receivers.md'
const QUICKEST = 'net-http'
const asked = process.argv.slice(2)
const write = asked.includes('--write')
const all = asked.includes('--certify')
const named = asked.filter((each) => !each.startsWith('--'))
const unknown = named.filter((each) => !(each in receivers))
if (unknown.length > 0)
  throw new Error(`no receiver: ${unknown.join(', ')}; there are ${Object.keys(receivers).join(', ')}`)

const missing = scenariosWithoutRow('scenarios')
if (missing.length > 0)
  throw new Error(`examples/receivers/check/scenarios.ts does not say what is right of ${missing.join(', ')}`)

await using sandbox = await createSandbox({ clock: 'frozen' })
const outcomes = new Map<string, Outcome>()

async function report(name: string, ready: Ready): Promise<void> {
  const began = performance.now()
  const outcome = await tryOut(sandbox, ready)
  outcomes.set(name, outcome)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  tell(outcome.faults, `${name}: ${outcome.cells.size} rows in ${seconds} s`)
}

function tell(faults: readonly string[], text: string): void {
  console.log(`${faults.length === 0 ? 'ok   ' : 'FAIL '} ${text}`)
  for (const fault of faults) console.log(`      ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}

const ready = new Map<string, Ready>()
for (const name of named.length > 0 ? named : Object.keys(receivers)) {
  try {
    ready.set(name, await makeReady(name))
  } catch (error) {
    if (!(error instanceof NotHere)) throw error
    console.log(`skipped: ${name} cannot be had here: ${error.message}`)
  }
}
// Side by side, for most of it is waiting.
await Promise.all([...ready].map(([name, each]) => report(name, each)))

/** That are certified too; for all of them it takes a minute more. */
const certified = [...ready.keys()].filter((name) => all || name === QUICKEST)
for (const name of certified) {
  const { passed, faults } = await certifyReceiver(await makeReady(name))
  tell(faults, `${name}: ${passed} checks of certification passed`)
}

const page = await pageWith(PAGE, outcomes)
if (write) writeFileSync(PAGE, page)
else if (page !== readFileSync(PAGE, 'utf8')) {
  console.log(`FAIL  ${PAGE} tells otherwise; examples/receivers/run --write writes it`)
  process.exitCode = 1
}
