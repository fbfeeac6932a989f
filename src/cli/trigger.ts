import { Command } from '@commander-js/extra-typings'
import { existsSync } from 'node:fs'
import type { WorldClient } from '../client/world-client.ts'
import { systemWall } from '../lib/clock/clock.ts'
import { mergeDeep } from '../lib/objects.ts'
import { formatDuration } from '../lib/text/duration.ts'
import { parsedJson } from '../lib/text/parsed-json.ts'
import { ScenarioError } from '../scenarios/file.ts'
import { loadPath } from '../scenarios/read.ts'
import { libraryOf } from '../scenarios/library.ts'
import { shippedScenarios } from '../scenarios/load.ts'
import { findOutcome, meantOutcome } from '../scenarios/outcomes.ts'
import { sampleRequest, type SampleContext } from '../scenarios/samples.ts'
import type { Expectation } from '../scenarios/expect.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { Refusal } from './failures.ts'
import { followKyc, followPayment, referenceIn } from './follow.ts'
import { durationOr, type End, type Fields, readReceiver, setOption, type Target } from './options.ts'
import { exitCodes, type Output, painter } from './output.ts'
import type { Process } from './process.ts'
import { dashboardOf, worldAt, worldCommand } from './world-command.ts'

export const triggerCommand = (io: Process, end: End) =>
  worldCommand(io, end)(
    new Command('trigger')
      .description(
        'Send the requests of an outcome to a running sandbox, and print the states, ledger entries and callbacks of each payment ' +
          'and KYC review as they happen. With --isolated it uses a new world and advances its clock to later events.',
      )
      .argument('<scenario>', 'its name, see scenarios list, or a scenario file of the sandbox')
      .option(
        '--callback-url <address>',
        'the address for callbacks (default: an inbox of the sandbox)',
        readReceiver,
      )
      .addOption(setOption('set a field of the requests, such as amount=2000; repeatable'))
      .option('--isolated', 'use a new world, so that earlier runs have no effect')
      .addOption(durationOr('--for', 'how long to wait for pending events', '10s')),
    async ({ out, ...session }, name, { isolated = false, for: limit, callbackUrl, set }) => {
      const target = isolated ? inFreshWorld(session.target) : session.target
      const following = { limit, leap: isolated, flags: session.flags }
      const world = worldAt(target)
      const paint = painter(out.colours)
      const scenario = await findScenario(name)
      if (!scenario)
        throw new Refusal(
          `there is no outcome ${name}${meantOutcome(shipped(), name)}. See payments-sandbox scenarios list.`,
          exitCodes.usage,
          'resource_not_found',
        )
      // Asked for in any case, because only a sandbox answers: no payment reaches a server that moves money.
      const inbox = await world.inbox.url('trigger')
      const callback_url = callbackUrl ?? inbox
      const { title } = scenario
      const beginning = { kind: 'scenario', name: scenario.name, title, username: target.username }
      out.say(
        `${paint('bold', title)}, as ${target.username}  ${paint('dim', dashboardOf(target))}`,
        beginning,
      )
      let kyc_id = 0
      for (const expected of scenario.expect) {
        const reference = `${scenario.name}-${systemWall().toString(36)}`
        const context = { callback_url, reference, kyc_id }
        const asked = set ? withFields(expected, set) : expected
        const made = await request(out, world, scenario, asked, context)
        kyc_id = made.kyc_id ?? kyc_id
        if (made.kyc_id !== undefined) await followKyc(out, world, made.kyc_id, following)
        else if (
          made.reference === undefined ||
          !(await followPayment(out, world, made.reference, following))
        )
          out.say(`    done: ${expected.request.operation} created no payment or KYC submission to follow`)
      }
    },
  )

/** A new world, so that earlier runs have no effect. */
const inFreshWorld = (target: Target): Target => ({
  ...target,
  username: `${target.username}+trigger-${systemWall().toString(36)}`,
})

/** Returns a request with the fields of the user. */
const withFields = (expected: Expectation, fields: Fields): Expectation => ({
  ...expected,
  request: { ...expected.request, body: mergeDeep(expected.request.body ?? {}, fields) },
})

/** @throws {Refusal} For an invalid scenario file. */
async function findScenario(name: string): Promise<Scenario | undefined> {
  if (!existsSync(name)) return findOutcome(shipped(), name)
  const [first] = await loadPath(name).catch((error: unknown) => {
    throw error instanceof ScenarioError ? new Refusal(error.message, exitCodes.usage) : error
  })
  return first
}

const shipped = () => libraryOf(shippedScenarios()).byName

/** Sends one request as often as the scenario expects, and prints the responses. @returns The payment or KYC submission, if any. */
async function request(
  out: Output,
  world: WorldClient,
  scenario: Scenario,
  { request, times, after }: Expectation,
  context: SampleContext,
) {
  const paint = painter(out.colours)
  const { method, path, headers, body } = sampleRequest(scenario, request, context)
  const often = times > 1 ? ` ${times} times` : ''
  const note = after > 0 ? `  (intended ${formatDuration(after)} later)` : ''
  out.say(`${paint('cyan', `${method} ${path}`)}${often}${note}`)
  let reference = referenceIn(body)
  let kyc_id: number | undefined
  for (let time = 1; time <= times; time++) {
    const answer = await answerOf(world, path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    reference = referenceIn(answer.body) ?? reference
    kyc_id = answer.body?.account_kyc?.id ?? kyc_id
    const fact = { kind: 'sent', method, path, response: answer.head, body: answer.body ?? answer.text }
    if (time <= SHOWN) out.say(`    ${paint(answer.ok ? 'green' : 'red', answer.head)} ${answer.text}`, fact)
  }
  if (times > SHOWN) out.say('    and so on')
  return { reference, kyc_id }
}

/** Maximum number of responses shown. */
const SHOWN = 3

/** Tolerates outcomes that cut the connection or respond with invalid JSON. */
async function answerOf(world: WorldClient, path: string, init: RequestInit) {
  try {
    const answer = await world.fetch(path, init)
    const text = await answer.text()
    return {
      ok: answer.ok,
      head: String(answer.status),
      text: text.slice(0, 300),
      body: (parsedJson(text) ?? undefined) as { account_kyc?: { id?: number } } | undefined,
    }
  } catch (error) {
    return { ok: false, head: 'no response:', text: (error as Error).message, body: undefined }
  }
}
