import { Client } from 'pg'
import { systemUuid } from '../../src/lib/random/random.ts'

/** A database that tests may do with what they like; undefined where there is none. */
export const testDatabase: string | undefined = process.env['TEST_DATABASE_URL']

/** Said where tests are skipped for want of one. */
export const NO_DATABASE = 'in PostgreSQL (skipped: TEST_DATABASE_URL is not set, as test/cluster/run does)'

/** An address under which there is nothing yet: a schema of its own in the database of the tests. */
export async function emptyDatabase(base = testDatabase!): Promise<string> {
  const schema = `t_${systemUuid().replaceAll('-', '')}`
  const client = new Client(base)
  await client.connect()
  await client.query(`create schema ${schema}`)
  await client.end()
  const url = new URL(base)
  url.searchParams.set('options', `-c search_path=${schema}`)
  return url.href
}
