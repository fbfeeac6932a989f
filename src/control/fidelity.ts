import { handlers, ok } from './page.ts'
import type { Recording } from '../fidelity/har.ts'
import type { FidelityComparison } from '../generated/control/types.ts'
import type { BodyReader } from '../http/handler.ts'
import { requireJson, requireUncompressed } from '../http/read-request.ts'
import { sliceOf, timeSlice } from '../lib/clock/clock.ts'
import { invalid, ServiceError } from '../service/domain/errors.ts'
import type { Fields } from '../service/domain/facts.ts'
import { formatSettleAfter } from '../service/vocabulary/settle-after.ts'
import type { World } from '../worlds/world.ts'

/** Characters outside the entries and of one entry; the command line has no such limits. */
const MOST = { around: 1 << 20, item: 1 << 20, entries: 2_000 }
/** Bytes read before the time slice is checked. */
const PIECE = 1 << 16

/** Comparisons run one at a time, because each has two worlds of its own. */
let before: Promise<unknown> = Promise.resolve()
/** Names of the worlds with a comparison that runs or waits. */
const waiting = new Set<string>()
const MOST_WAITING = 8
const BUSY = 'the sandbox compares other recordings; try again when they have ended'

export const fidelity = handlers(({ createSandbox }) => ({
  compareRecording: {
    readBody,
    reply({ world, request, left }) {
      const { file = 'recording', learn: learns = false } = request.query
      const { recording } = request.body as unknown as { recording: Recording }
      const compared = async () => {
        const [{ replay }, { reportOf }, { learn }] = await Promise.all([
          import('../fidelity/replay.ts'),
          import('../fidelity/report.ts'),
          import('../fidelity/learn.ts'),
        ])
        const onBytes = (bytes: number) => world.budget.require('rows', world.bytes, bytes)
        const options = {
          createSandbox,
          env: envOf(world),
          slice: sliceOf(world.name),
          signal: left,
          onBytes,
        }
        const { observed } = world.settings
        const overlay = observed && !learns ? JSON.stringify(observed) : undefined
        const replayed = await replay(recording, { ...options, observed: overlay })
        const learned = learns ? await learn(file, recording, options, replayed) : null
        return ok({ report: reportOf(file, recording, replayed), learned } as FidelityComparison)
      }
      if (waiting.has(world.name) || waiting.size >= MOST_WAITING)
        throw new ServiceError('resource_exhausted', BUSY)
      const end = world.budget.begin('waiters')
      waiting.add(world.name)
      const made = before
        .then(compared)
        .catch((error: unknown) => {
          throw left.aborted ? new ServiceError('unavailable', 'the client has disconnected') : error
        })
        .finally(() => {
          end()
          waiting.delete(world.name)
        })
      before = made.catch(() => {})
      return made
    },
  },
}))

/** Reads a recording as it arrives, in time slices. @throws {ServiceError} 400 with line and column */
async function readBody(...[pieces, call]: Parameters<BodyReader>): Promise<Fields> {
  requireJson(call.header('content-type'))
  requireUncompressed(call.header('content-encoding'))
  const { RecordingError, createRecordingReader } = await import('../fidelity/har.ts')
  const slice = await timeSlice(call.world.name)
  const reader = createRecordingReader('recording', MOST)
  try {
    for await (const bytes of pieces)
      for (let from = 0; from < bytes.length; from += PIECE) {
        if (slice.over) await slice.next()
        reader.write(bytes.subarray(from, from + PIECE))
      }
    return { recording: reader.end() }
  } catch (error) {
    throw error instanceof RecordingError ? invalid(error.message) : error
  }
}

/** The settings of a world that decide how the sandbox behaves, as a comparison reads them. */
const envOf = ({ settings }: World) => ({
  SANDBOX_REALISM: settings.realism,
  SANDBOX_VALIDATION: settings.validation,
  SANDBOX_GENERATION: settings.generation,
  SANDBOX_SIGNATURES: settings.signatures,
  SANDBOX_RETRY_PROFILE: settings.retry_profile,
  SANDBOX_RETRY_SPEED: String(settings.retry_speed),
  SANDBOX_SETTLE_AFTER: formatSettleAfter(settings.settle_after),
})
