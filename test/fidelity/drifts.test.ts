import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Recording } from '../../src/fidelity/har.ts'
import { learnFrom } from '../../src/fidelity/learn.ts'
import { replay } from '../../src/fidelity/replay.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { reportOf } from '../../src/fidelity/report.ts'
import { cpuTime } from '../support/cpu-time.ts'
import { temporaryFolder } from '../support/folder.ts'
import { recordingOf } from './drifting-service.ts'
import { drifts } from './drifts.ts'

const folder = temporaryFolder()
const found = async (recording: Recording, env = {}) => {
  const replayed = await replay(recording, { createSandbox, env })
  const { differences } = reportOf('session.har', recording, replayed)
  const names = differences.map(
    ({ operation, place, field, kind }) => `${operation} ${place} ${field} ${kind}`,
  )
  return [...new Set(names)].toSorted()
}
const any = (each: string) => each.replace(/^\S+ callback (header|settle_after|callbacks)/, '* callback $1')

describe('compare', () => {
  it('knows forty drifts', () => {
    expect(drifts).toHaveLength(40)
  })

  it.each(drifts)('finds the drift, and nothing else: $name', async (drift) => {
    const recording = await recordingOf([drift], 3)
    expect([...new Set((await found(recording)).map(any))]).toEqual(drift.differences.toSorted())
  })

  it.each(drifts)('finds nothing after learning: $name', async (drift) => {
    const recording = await recordingOf([drift], 3)
    const { overlay, not_expressed } = await learnFrom(
      'session.har',
      recording,
      await replay(recording, { createSandbox }),
    )
    const path = join(folder, `${drift.name.replaceAll(' ', '-')}.yaml`)
    await writeFile(path, overlay)
    expect({ not_expressed, found: await found(recording, { SANDBOX_OBSERVED: path }) }).toEqual({
      not_expressed: [],
      found: [],
    })
  })
})

describe('a long recording', () => {
  it('of 2,000 exchanges has no differences, and takes less than fifteen seconds of processor time', async () => {
    const recording = await recordingOf([], 170)
    expect(recording.entries.length).toBeGreaterThan(2_000)
    const began = cpuTime()
    expect(await found(recording)).toEqual([])
    expect(cpuTime() - began).toBeLessThan(15_000)
    // On a loaded machine, the time passes slowly for the process.
  }, 300_000)
})
