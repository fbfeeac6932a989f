import { describe, expect, it } from 'vitest'
import { isRemote, skippedFor } from '../../support/engine.ts'
import { NO_DATABASE, testDatabase } from '../../support/postgres.ts'
import { collection } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { createPostgresEngine } from './engines.ts'

const METRICS = { SANDBOX_METRICS: 'on' }

const metricsOf = async ({ sandbox }: Awaited<ReturnType<typeof startSandbox>>) => {
  const text = await (await sandbox.fetch(new Request('http://sandbox.test/metrics'))).text()
  return (name: string) => {
    const line = text.split('\n').find((each) => each.startsWith(`${name} `) || each.startsWith(`${name}{`))
    return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')))
  }
}

it.skipIf(isRemote)(
  `/metrics says nothing of a database where there is none${skippedFor('there is one')}`,
  async () => {
    const value = await metricsOf(await startSandbox(METRICS))
    expect(value('sandbox_worlds')).toBe(1)
    expect(value('sandbox_database_connections')).toBeUndefined()
  },
)

describe.skipIf(!testDatabase)(`/metrics ${testDatabase ? 'over a database' : NO_DATABASE}`, () => {
  it('include round trips, batches, job ownership and jobs of all worlds, open or not', async () => {
    const engine = await createPostgresEngine()
    const own = await startSandbox(METRICS, { engine })
    const w = own.world()
    await w.post('/api/v2/payments', collection(w))
    await engine.worlds.create('demo+elsewhere', {})
    const value = await metricsOf(own)
    expect(value('sandbox_database_seconds_count{kind="transaction",shard="1"}')).toBeGreaterThan(0)
    expect(value('sandbox_database_seconds_count{kind="statement",shard="1"}')).toBeGreaterThan(0)
    expect(value('sandbox_database_batch_changes_count')).toBeGreaterThan(0)
    expect(value('sandbox_database_replicated_total')).toBe(0)
    expect(value('sandbox_database_connections')).toBeGreaterThan(1)
    expect(value('sandbox_database_unavailable')).toBe(0)
    expect(value('sandbox_jobs_lag_seconds')).toBeGreaterThanOrEqual(0)
    // Worlds of other processes are noticed a little later.
    await expect.poll(async () => (await metricsOf(own))('sandbox_worlds')).toBe(3)
    expect(value('sandbox_jobs_pending')).toBe(1)
    await own.sandbox.close()
    await engine.close()
  })
})
