import { Command, Option } from '@commander-js/extra-typings'
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { addressIn } from './address.ts'
import { type End, urlOption, userOption, durationOption, plainCommand } from './options.ts'
import { incidentAt } from './incidents.ts'
import { exitCodes, painter } from './output.ts'
import type { Process } from './process.ts'
import { worldAt } from './world-command.ts'
import { ProfileError, readProfile } from '../certify/certify.ts'
import { heldBy } from '../certify/environment.ts'
import { lookBy } from '../certify/probe.ts'
import type { Profile } from '../certify/read-profile.ts'
import { act, requestSender } from '../certify/shop-access.ts'
import type { WorldClient } from '../client/types.ts'
import { createSandbox } from '../index.ts'
import { suggestion } from '../lib/text/suggest.ts'
import { recordOf } from '../traffic/customers.ts'
import { incidentPathsIn, PlanError, readPlan } from '../traffic/plan.ts'
import { compareRuns, figuresOf, reports, type ReportName, wrongText } from '../traffic/reports.ts'
import { limitNames, readLimits, readRun, type TrafficRun } from '../traffic/result.ts'
import { runTraffic } from '../traffic/run.ts'
import type { TrafficShop } from '../traffic/world.ts'

export function trafficCommand(io: Process, end: End) {
  const plain = plainCommand(io, end)
  const traffic = new Command('traffic')
    .description(
      "Play a shop's customers, with incidents, and compare its books with the ledger. Exit code 0: the books agree; 1: an order is " +
        'wrong or a limit exceeded; 2: invalid profile or plan; 3: inconclusive, such as a rate that was not reached; 4: no sandbox responds.',
    )
    .addOption(
      new Option('--profile <file>', 'the profile of the shop, as for certify').default('certify.yaml'),
    )
    .addOption(new Option('--plan <file>', 'when customers arrive, and what goes wrong').default('plan.yaml'))
    .addOption(new Option('--seed <text>', 'who the customers are').default('1'))
    .addOption(new Option('--fail-on <limits>', `such as wrong=0,agree=5m: ${limitNames.join(', ')}`))
    .addOption(
      new Option(
        '--report <form=file>',
        `also write reports, comma-separated: ${Object.keys(reports).join(', ')}`,
      ),
    )
    .addOption(
      new Option(
        '--record <file>',
        'write the customers and incidents of the plan, one JSON object per line',
      ),
    )
    .addOption(urlOption())
    .addOption(userOption())
    .addOption(durationOption('--wait', 'how long to wait for a world in use by another run, such as 10m'))
  plain(traffic, async ({ json }, flags) => {
    const stop = new AbortController()
    let close = async () => {}
    try {
      const wanted = (flags.report ?? '').split(',').filter(Boolean).map(requestedReport)
      const limits = readLimits(flags.failOn ?? '')
      const read = await readProfile(flags.profile, await textOf(flags.profile), io.env)
      const sandbox = flags.url ?? read.sandbox ?? addressIn(io.env)
      const profile = {
        ...read,
        ...(sandbox !== undefined && { sandbox }),
        ...(flags.user && { user: flags.user }),
      }
      const plan = await planAt(flags.plan)
      if (flags.record !== undefined) await writeRecord(flags.record, recordOf(plan, flags.seed))
      void io.stopped().then(() => stop.abort(new Error('stopped')))
      if (profile.sandbox === undefined) {
        const { username, password } = profile.user
        // The figures of receiver and API come from the events of the world.
        const env = {
          SANDBOX_API_USERNAME: username,
          SANDBOX_API_PASSWORD: password,
          SANDBOX_REQUEST_LOG_SIZE: '200000',
        }
        const own = await createSandbox({ env })
        close = () => own.close()
        await own.listen(profile.port)
        profile.sandbox = own.url
      }
      const world = worldAt({ url: profile.sandbox, ...profile.user })
      const shop = certificationAccess(profile, world, await world.signatures.secret(), stop.signal)
      const tell = (text: string) => {
        if (io.err.terminal) io.err.write(`\r\u001b[K${text}`)
      }
      const run = await runTraffic({
        plan,
        seed: flags.seed,
        limits,
        world,
        shop,
        signal: stop.signal,
        tell,
        wait: flags.wait === undefined ? undefined : `${flags.wait}ms`,
      })
      if (io.err.terminal) io.err.write('\r\u001b[K')
      io.out.write(json ? `${JSON.stringify({ kind: 'traffic', ...run })}\n` : textOfRun(run, io.out.colours))
      for (const { name, file } of wanted) {
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, reports[name].write(run))
      }
      return run.verdict.exit_code
    } catch (error) {
      if (error instanceof PlanError || error instanceof ProfileError || error instanceof RangeError) {
        io.err.write(`${error.message}\n`)
        return exitCodes.usage
      }
      const held = heldBy(error)
      if (held !== undefined) {
        io.err.write(
          `The world is held by ${held}. Wait for it (--wait 10m), or use another world (user in the profile, or --user).\n`,
        )
        return exitCodes.unreachable
      }
      throw error
    } finally {
      await close()
    }
  })
  plain(
    traffic
      .command('compare')
      .description('Compare two runs. Exit code 1: the second one is worse.')
      .argument('<before>', 'the output of traffic --json')
      .argument('<after>', 'the output of a later run'),
    ({ json }, before, after) => compareFiles(io, before, after, json),
  )
  return traffic
}

/** @throws {PlanError} */
async function planAt(file: string) {
  const text = await textOf(file)
  const files = Object.fromEntries(
    await Promise.all(
      (await incidentPathsIn(text)).map(async (path) => {
        try {
          return [path, await incidentAt(resolve(dirname(file), path))] as const
        } catch (error) {
          throw new PlanError((error as Error).message)
        }
      }),
    ),
  )
  return readPlan(file, text, files)
}

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new PlanError(
      `${file}: ${error.code === 'ENOENT' ? 'there is no such file; see docs/game-days.md' : error.message}`,
    )
  })
}

async function writeRecord(file: string, lines: Iterable<string>): Promise<void> {
  const handle = await open(file, 'w')
  try {
    for (const line of lines) await handle.write(line)
  } finally {
    await handle.close()
  }
}

/** @throws {PlanError} for an unknown format */
function requestedReport(written: string): { readonly name: ReportName; readonly file: string } {
  const [name = '', ...rest] = written.trim().split('=')
  if (!Object.hasOwn(reports, name))
    throw new PlanError(
      `--report ${written}: "${name}" is not a format${suggestion(name, Object.keys(reports))}`,
    )
  return { name: name as ReportName, file: rest.join('=') || reports[name as ReportName].file }
}

function textOfRun(run: TrafficRun, colours: boolean): string {
  const paint = painter(colours)
  const style = run.verdict.result === 'pass' ? 'green' : run.verdict.result === 'fail' ? 'red' : 'yellow'
  const lines = figuresOf(run).map(([name, text]) => `  ${name.padEnd(13)} ${text}`)
  const orders = run.wrong.orders
    .slice(0, 10)
    .map(
      ({ order, ledger, shop, amount }) =>
        `    ${order}  ${amount} shillings  ledger: ${ledger}  shop: ${shop}`,
    )
  return `${[paint('bold', run.title), ...lines, ...wrongText(run).map((each) => `  ${paint('red', each)}`), ...orders, paint(['bold', style], `${run.verdict.result}: ${run.verdict.text}`)].join('\n')}\n`
}

async function compareFiles(io: Process, before: string, after: string, json: boolean): Promise<number> {
  try {
    const [one, other] = await Promise.all([runAt(before), runAt(after)])
    const comparison = compareRuns(one, other)
    if (json) io.out.write(`${JSON.stringify({ kind: 'comparison', ...comparison })}\n`)
    else {
      if (!comparison.comparable)
        io.out.write('The runs have different customers or incidents: plan or seed differ.\n')
      for (const { name, before: was, after: is } of comparison.figures)
        io.out.write(`  ${name.padEnd(30)} ${String(was).padStart(9)} ${String(is).padStart(9)}\n`)
    }
    return comparison.worse ? exitCodes.no : exitCodes.done
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    io.err.write(`${error.message}\n`)
    return exitCodes.usage
  }
}

/** @throws {PlanError} if the file is not a run */
async function runAt(file: string): Promise<TrafficRun> {
  const text = await textOf(file)
  try {
    return readRun(text)
  } catch (error) {
    throw new PlanError(`${file} must be the output of traffic --json: ${(error as Error).message}`)
  }
}

/**
 * Returns the shop of a profile, with its trigger and its probe.
 * @throws {ProfileError} without a trigger or a probe that a program can use
 */
function certificationAccess(
  profile: Profile,
  world: WorldClient,
  secret: string,
  ended: AbortSignal,
): TrafficShop {
  const { trigger, probe, receiver, variables } = profile
  const missing = (needs: string) => new ProfileError([`The profile ${profile.profile} needs ${needs}.`])
  if (!trigger) throw missing('a trigger: how customers order')
  if (profile.isManual) throw missing('a trigger that a program can use: http or command')
  if (!probe) throw missing('a probe: how to read the state of an order')
  // The books are compared after the run was stopped, too.
  const accessOf = (signal: AbortSignal) => ({ ask: requestSender({}, signal), say: () => {}, ended: signal })
  const look = lookBy(probe, accessOf(new AbortController().signal), 10_000, variables)
  const { url: sandbox, username: user, password, authorization, fetch } = world
  const where = { sandbox, user, password, authorization, secret, callback: receiver.url ?? '' }
  return {
    async trigger(order) {
      const { ok, error } = await act(
        accessOf(ended),
        typeof trigger === 'function' ? () => trigger({ ...order, ...where, fetch }) : trigger,
        { ...order, ...where, ...variables },
        'trigger',
      )
      if (!ok) throw new Error(error)
    },
    async probe(order) {
      const { state, word, fulfilled } = await look(order)
      if (state === 'unknown')
        throw new Error(`the probe returns ${JSON.stringify(word)}, which is missing in means of the profile`)
      return { state, fulfilled }
    },
  }
}
