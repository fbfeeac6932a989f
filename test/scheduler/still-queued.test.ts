import { describe, expect, it } from 'vitest'
import { isStillQueued } from '../../src/service/domain/context.ts'
import { postpone } from '../../src/scheduler/job-performer.ts'
import type { JobRow } from '../../src/storage/store/payment-rows.ts'
import { startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const job: JobRow = { id: 7, due_at: 1_000, task: { kind: 'channel', channel_id: 1, is_active: true } }

/** A world with the job, and a copy of the job, as from a database. */
async function owing() {
  const w = world()
  await w.get('/sandbox/clock')
  const own = w.world()
  await own.change((tx) => tx.rows.insert('jobs', job))
  const generation = await own.read(({ rows }) => rows.generation)
  const isOwed = () => {
    const now = sandbox.worlds.get(own.name)!
    return now.read((look) => isStillQueued(look, structuredClone(job), generation))
  }
  return { own, generation, isOwed }
}

describe('a job that was read as a copy', () => {
  it('is still queued while its row is unchanged', async () => {
    const { own, isOwed } = await owing()
    await own.change((tx) => tx.rows.put('jobs', structuredClone(job)))
    expect(await isOwed()).toBe(true)
  })

  it('is not queued after it is done', async () => {
    const { own, isOwed } = await owing()
    await own.change((tx) => tx.rows.delete('jobs', job.id))
    expect(await isOwed()).toBe(false)
  })

  it('is not queued after it was rescheduled, even for the same time', async () => {
    const { own, generation, isOwed } = await owing()
    await postpone(own, structuredClone(job), generation, new Error('broken'))
    await own.change(({ rows }) => {
      const failed = rows.get('jobs', job.id)!
      expect(failed.failed?.times).toBe(1)
      rows.put('jobs', { ...failed, due_at: job.due_at })
    })
    expect(await isOwed()).toBe(false)
  })

  it('is not queued after the world was reset, even if its id was reused', async () => {
    const { own, generation, isOwed } = await owing()
    const anew = await sandbox.worlds.reset(own.name)
    await anew.change((tx) => tx.rows.insert('jobs', structuredClone(job)))
    expect(await isOwed()).toBe(false)
    expect(await postpone(anew, job, generation, new Error('late'))).toBeNull()
  })
})
