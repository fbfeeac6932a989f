import { existsSync } from 'node:fs'
import { systemWall } from '../clock.ts'
import { formatDuration } from '../duration.ts'
import { nearest } from '../nearest.ts'
import { ScenarioError } from '../scenarios/fault.ts'
import { loadPath } from '../scenarios/load-path.ts'
import { shippedScenarios } from '../scenarios/load.ts'
import { sampleRequest, type SampleContext } from '../scenarios/samples.ts'
import type { Expectation, Scenario } from '../scenarios/terms.ts'
import { ask, askFor, ClientError, type Asking, type Target } from './client.ts'
import { exitCodes } from './exit-codes.ts'
import { followPayment, type Following } from './follow.ts'
import { painter } from './paint.ts'
import type { Process } from './process.ts'

export interface TriggerOptions extends Following {
  /** Where the callbacks go; an inbox of the sandbox when left out. */
  readonly callbackUrl?: string
}

/**
 * Makes the requests that a scenario's `expect` describes and prints what follows as it happens.
 * @param name of a scenario that comes with the sandbox, or a file that the sandbox was started with
 * @returns the exit code
 */
export async function trigger(
  io: Process,
  target: Target,
  name: string,
  { callbackUrl, ...following }: TriggerOptions,
): Promise<number> {
  try {
    const scenario = await findScenario(name)
    if (!scenario) {
      io.err.write(`There is no scenario "${name}"${didYouMean(name)} See payments-sandbox scenarios list.\n`)
      return exitCodes.usage
    }
    const callback_url = callbackUrl ?? (await inboxAddress(target))
    io.out.write(`${painter(io.out.colours)('bold', scenario.title)}, as ${target.username}\n`)
    let kyc_id = 0
    for (const expected of scenario.expect) {
      const reference = `${scenario.name}-${systemWall().toString(36)}`
      const context = { callback_url, reference, kyc_id }
      kyc_id = (await request(io, target, scenario, expected, context)) ?? kyc_id
      await followPayment(io.out, target, reference, following)
    }
    return exitCodes.done
  } catch (error) {
    if (!(error instanceof ClientError || error instanceof ScenarioError)) throw error
    io.err.write(`${error.message}\n`)
    if (error instanceof ScenarioError) return exitCodes.usage
    return error.refused ? exitCodes.no : exitCodes.unreachable
  }
}

async function findScenario(name: string): Promise<Scenario | undefined> {
  if (existsSync(name)) return (await loadPath(name))[0]
  return shippedScenarios().find((each) => each.name === name)
}

function didYouMean(name: string): string {
  const meant = nearest(
    name,
    shippedScenarios().map((each) => each.name),
  )
  return meant ? `; did you mean "${meant}"?` : '.'
}

const inboxAddress = async (target: Target) =>
  (await askFor<{ address: string }>(target, '/sandbox/inbox/trigger')).address

/** Makes one request, as often as it is meant to be; prints the answers. Returns the KYC submission that it made. */
async function request(
  { out }: Process,
  target: Target,
  scenario: Scenario,
  { request, times, after }: Expectation,
  context: SampleContext,
): Promise<number | undefined> {
  const paint = painter(out.colours)
  const { method, path, headers, body } = sampleRequest(scenario, request, context)
  const often = times > 1 ? ` ${times} times` : ''
  const late = after > 0 ? `  (meant to come ${formatDuration(after)} later)` : ''
  out.write(`${paint('cyan', `${method} ${path}`)}${often}${late}\n`)
  let kyc_id: number | undefined
  for (let time = 1; time <= times; time++) {
    const answer = await answerOf(target, path, { method, headers, body })
    kyc_id = answer.kyc_id ?? kyc_id
    if (time <= SHOWN) out.write(`    ${paint(answer.ok ? 'green' : 'red', answer.head)} ${answer.text}\n`)
  }
  if (times > SHOWN) out.write(`    and so on\n`)
  return kyc_id
}

/** Of many answers, the first ones are shown. */
const SHOWN = 3

/** Some scenarios cut the connection, or answer what is no JSON. */
async function answerOf(target: Target, path: string, asking: Asking) {
  try {
    const answer = await ask(target, path, asking)
    const text = await answer.text()
    const [, kyc_id] = /"account_kyc":\{.*?"id":(\d+)/.exec(text) ?? []
    const said = { ok: answer.ok, head: String(answer.status), text: text.slice(0, 300) }
    return { ...said, kyc_id: kyc_id === undefined ? undefined : Number(kyc_id) }
  } catch (error) {
    return { ok: false, head: 'no answer:', text: (error as Error).message, kyc_id: undefined }
  }
}
