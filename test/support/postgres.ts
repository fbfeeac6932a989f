import { Client } from 'pg'
import { systemUuid } from '../../src/lib/random/random.ts'

/** A database that tests may do with what they like; undefined where there is none. */
export const testDatabase: string | undefined = process.env['TEST_DATABASE_URL']

/** Said where tests are skipped for want of one. */
export const NO_DATABASE = 'in PostgreSQL (skipped: TEST_DATABASE_URL is not set, as test/cluster/run does)'

/** Runs statements on the database of the tests, or on another. */
export async function runSql(text: string, base = testDatabase!): Promise<Record<string, unknown>[]> {
  const client = new Client(base)
  await client.connect()
  try {
    return (await client.query(text)).rows ?? []
  } finally {
    await client.end()
  }
}

/**
 * The same database for a role of its own.
 * @param options of `create role`, and settings that its sessions begin with
 */
export async function asRole(
  url: string,
  options: string,
  settings: Record<string, string> = {},
): Promise<string> {
  const role = `r_${systemUuid().replaceAll('-', '')}`
  const schema = /search_path=(\w+)/.exec(decodeURIComponent(url))![1]!
  const sets = Object.entries(settings).map(([name, value]) => `alter role ${role} set ${name} = '${value}';`)
  await runSql(
    `create role ${role} login ${options}; grant all on schema ${schema} to ${role}; ${sets.join(' ')}`,
  )
  const as = new URL(url)
  as.username = role
  return as.href
}

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
