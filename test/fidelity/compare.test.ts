import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Recording } from '../../src/fidelity/har.ts'
import { replay } from '../../src/fidelity/replay.ts'
import { reportOf, reportSchema } from '../../src/fidelity/report.ts'
import { ended } from '../cli/process.ts'
import { temporaryFolder } from '../support/folder.ts'
import { recordingOf } from './drifting-service.ts'
import { drifts } from './drifts.ts'

const folder = temporaryFolder()
const save = async (name: string, recording: Recording) => {
  const path = join(folder, name)
  await writeFile(path, JSON.stringify({ log: { entries: recording.entries } }))
  return path
}
const found = async (recording: Recording, env = {}) => {
  const { differences } = reportOf('session.har', recording, await replay(recording, env))
  return [
    ...new Set(
      differences.map(({ operation, place, field, kind }) => `${operation} ${place} ${field} ${kind}`),
    ),
  ].toSorted()
}

describe('compare', () => {
  it('finds nothing in the traffic of a service that does not drift', async () => {
    expect(await found(await recordingOf([]))).toEqual([])
  })
})

describe('the commands compare and learn', () => {
  it('report differences with an exit code, and in JSON by its schema', async () => {
    const path = await save('drift.har', await recordingOf([drifts[0]!, drifts[13]!], 2))
    const text = await ended(['compare', path])
    expect([text.code, text.out]).toEqual([1, expect.stringContaining('missing field CheckoutRequestID')])
    const json = await ended([
      'compare',
      path,
      '--json',
      '--fail-on',
      'breaking',
      '--report',
      `html=${join(folder, 'r.html')}`,
    ])
    expect(reportSchema().parse(JSON.parse(json.out)).differences).toHaveLength(3)
    expect(await readFile(join(folder, 'r.html'), 'utf8')).toContain('CheckoutRequestID')
    const overlay = join(folder, 'observed.yaml')
    const learned = await ended(['learn', path, '--out', overlay])
    expect([learned.code, learned.out]).toEqual([0, `3 differences are in ${overlay}\n`])
    const again = await ended(['compare', path], { SANDBOX_OBSERVED: overlay })
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('no differences')])
  })
})
