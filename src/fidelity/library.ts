import { rm } from 'node:fs/promises'
import type { FidelityOverlay, FidelityReport } from '../generated/control/types.ts'
import { packageVersion } from '../lib/files.ts'
import { systemSecrets } from '../lib/random/random.ts'
import type { HarEntry } from './har.ts'
import type { SendOptions } from './probe.ts'

export type { FidelityFinding as Finding, FidelityReport as Report } from '../generated/control/types.ts'

/** Options of `compare` and `learn`. */
interface CompareOptions {
  /** Settings of the sandbox by the names of their environment variables, such as `SANDBOX_REALISM` or `SANDBOX_OBSERVED`. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The text of an overlay, in place of a file. */
  readonly observed?: string | undefined
  /** Ends the comparison. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Replays a recording in a fresh world, and returns where sandbox and service differ.
 * @param file - A HAR file, such as the output of `record` or of `GET /sandbox/requests/har`.
 * @throws {Error} If the file is no recording; the message names the file and the reason.
 * @example
 * ```ts
 * import { compare } from 'payments-sandbox/fidelity'
 *
 * const { differences } = await compare('session.har')
 * differences.filter(({ severity }) => severity === 'breaking') // => []
 * ```
 */
export async function compare(
  file: string,
  { env = {}, observed, signal }: CompareOptions = {},
): Promise<FidelityReport> {
  const [{ readRecording }, { replay }, { reportOf }, { createSandbox }] = await Promise.all([
    import('./har.ts'),
    import('./replay.ts'),
    import('./report.ts'),
    import('../sandbox/sandbox.ts'),
  ])
  const recording = await readRecording(file)
  return reportOf(file, recording, await replay(recording, { createSandbox, env, observed, signal }))
}

/**
 * Compares the sandbox's description with another OpenAPI description of the service: what it adds and removes, and what each
 * field allows less or more.
 * @param file - An OpenAPI 3 description, JSON or YAML.
 * @throws {Error} If the file is no description; the message names the file and the reason.
 * @example
 * ```ts
 * import { compareDescriptions } from 'payments-sandbox/fidelity'
 *
 * const { differences } = await compareDescriptions('their-openapi.json')
 * differences.filter(({ kind }) => kind === 'narrowed') // => []
 * ```
 */
export async function compareDescriptions(file: string): Promise<FidelityReport> {
  return (await import('./contract.ts')).compareContract(file)
}

/**
 * Turns the differences of a recording into an overlay, with which the sandbox behaves like the recorded service.
 * @param file - A HAR file, such as the output of `record` or of `GET /sandbox/requests/har`.
 * @throws {Error} If the file is no recording; the message names the file and the reason.
 * @example
 * ```ts
 * import { compare, learn } from 'payments-sandbox/fidelity'
 *
 * const { overlay } = await learn('session.har')
 * const again = await compare('session.har', { observed: overlay })
 * again.differences // => []
 * ```
 */
export async function learn(
  file: string,
  { env = {}, signal }: CompareOptions = {},
): Promise<FidelityOverlay> {
  const [{ readRecording }, { learn: learnFrom }, { createSandbox }] = await Promise.all([
    import('./har.ts'),
    import('./learn.ts'),
    import('../sandbox/sandbox.ts'),
  ])
  const { SANDBOX_OBSERVED: _, ...others } = env
  return learnFrom(file, await readRecording(file), { createSandbox, env: others, signal })
}

/**
 * Renders a comparison: `html`, `junit`, `markdown` or `json`.
 * @example
 * ```ts
 * import { compare, reportText } from 'payments-sandbox/fidelity'
 *
 * const page = await reportText(await compare('session.har'), 'markdown')
 * page.includes('# Sandbox and service') // => true
 * ```
 */
export async function reportText(
  report: FidelityReport,
  form: 'json' | 'html' | 'junit' | 'markdown',
): Promise<string> {
  return (await import('./report.ts')).reports[form](report)
}

/** An exchange as it is recorded, an entry of HAR 1.2. */
interface Recorded {
  readonly request: { readonly method: string; readonly url: string }
  /** The status is 0 if the connection broke before the response. */
  readonly response: { readonly status: number }
  /** Milliseconds. */
  readonly time: number
  readonly _callback?: object | undefined
  readonly _error?: string | undefined
}

/** Options of `record`. They repeat those of its proxy, because published declarations must not import zod, as those of har.ts do. */
interface RecordOptions {
  /** The address of the service. */
  readonly service: string
  /** The public address of the proxy, which replaces `callback_url`. */
  readonly publicUrl?: string | undefined
  /** Receives the callbacks that arrive at `/__callbacks` without a `callback_url` of their own. */
  readonly callbacks?: string | undefined
  /** The authority that signed the service's certificate, PEM. */
  readonly ca?: string | undefined
  /** The recording, which must not exist yet. */
  readonly out: string
  /** The port of the proxy; any free one by default. */
  readonly port?: number | undefined
  /** `none` keeps credentials and personal data. */
  readonly redact?: 'personal' | 'none'
  readonly onExchange?: (exchange: Recorded) => void
  /** Receives a message when the file cannot be written, and when it can be again. */
  readonly onProblem?: (message: string) => void
}

/** A running recording. */
interface RunningRecording {
  /** The address of the proxy, which stands for the service. */
  readonly url: string
  /** Stops the proxy. Resolves to the number of exchanges in the file, and of those that could not be written. */
  close(): Promise<{ readonly written: number; readonly lost: number }>
}

/**
 * Starts a proxy on 127.0.0.1 that records the traffic with a service, without credentials and personal data.
 * @throws {Error} If the file exists or cannot be created, or the port is in use.
 * @example
 * ```ts
 * import { record } from 'payments-sandbox/fidelity'
 *
 * const recording = await record({ service: 'http://127.0.0.1:8080', out: 'shop.har' })
 * // Here the code under test uses `recording.url` as the address of the service.
 * const { lost } = await recording.close()
 * lost // => 0
 * ```
 */
export async function record(options: RecordOptions): Promise<RunningRecording> {
  const {
    out,
    port = 0,
    redact = 'personal',
    onExchange = () => {},
    onProblem = () => {},
    ...proxied
  } = options
  const [{ createHarFile }, { startProxy }, { createRedactor }] = await Promise.all([
    import('./har.ts'),
    import('./record.ts'),
    import('./redact.ts'),
  ])
  const file = await createHarFile(out, packageVersion(), onProblem)
  const clean = redact === 'none' ? (entry: HarEntry) => entry : createRedactor(systemSecrets())
  const onEntry = (entry: HarEntry) => {
    const kept = clean(entry)
    file.add(kept)
    onExchange(kept)
  }
  const proxy = await startProxy({ ...proxied, port, onEntry }).catch(async (error: unknown) => {
    await file.close()
    // The next attempt creates it again.
    await rm(out)
    throw error
  })
  return {
    url: proxy.url,
    async close() {
      await proxy.close()
      await file.close()
      return file.counts()
    },
  }
}

/** Options of `probe`, with those of its recording. */
type ProbeOptions = RecordOptions & Omit<SendOptions, 'url'>

/**
 * Sends the real service only requests that are free and safe, and records the responses.
 * @throws {Error} At the first accepted request that must be rejected, and if the service does not respond.
 * @example
 * ```ts
 * import { probe } from 'payments-sandbox/fidelity'
 *
 * const user = { username: 'demo', password: 'demo' }
 * // Without `every`, one second passes from one request to the next; a sandbox needs no pause.
 * const { written } = await probe({ service: 'http://127.0.0.1:8080', user, out: 'probe.har', every: 0 })
 * written // => 20
 * ```
 */
export async function probe(options: ProbeOptions): Promise<{ readonly written: number }> {
  const { sendProbe } = await import('./probe.ts')
  const recording = await record(options)
  let written = 0
  try {
    await sendProbe({ ...options, url: recording.url })
  } finally {
    ;({ written } = await recording.close())
  }
  return { written }
}
