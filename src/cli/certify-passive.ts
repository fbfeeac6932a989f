import type { Certification } from '../certify/certification.ts'
import { certifyRecord, ProfileError } from '../certify/certify.ts'
import { connect } from '../client/connect.ts'
import { shown } from '../lib/text/shown.ts'
import type { Target } from './client.ts'

const baseOf = (username: string) => username.replace(/\+.*$/, '')

/**
 * The record of a world, judged.
 * @param named the world: another of the same key (`demo+ci`, or `+ci`), or the id of the key's own; that one when it is `true`
 * @throws ProfileError when the key leads to another world
 */
export async function passively(target: Target, named: string | true): Promise<Certification> {
  const { url, password } = target
  const own = connect(url, { username: target.username, password })
  if (named === true || named === target.username) return certifyRecord(own)
  const username = named.startsWith('+') ? baseOf(target.username) + named : named
  if (username.includes('+') && baseOf(username) === baseOf(target.username))
    return certifyRecord(connect(url, { username, password }))
  const { id } = await own.show()
  if (id === named) return certifyRecord(own)
  // A key that was made in a world leads to no other.
  const base = baseOf(target.username)
  const sibling = base === baseOf(id) ? `name one of the same key, such as ${base}+ci, or ` : ''
  const advice = `${sibling}give the key of the world with --user`
  throw new ProfileError([`--passive ${shown(named)}: the key leads to the world ${id}; ${advice}`], [], 0)
}

/** What is odd about a record that was judged; undefined when nothing is. */
export function emptiness({ record, sandbox: { world } }: Certification): string | undefined {
  if (!record || record.judged.requests > 0) return undefined
  const others = record.left_out.requests > 0 ? ', but for what was sent by hand' : ''
  return `The world ${world} has no request of a shop on record${others}: is it the one that the tests paid in?`
}
