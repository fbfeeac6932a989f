import type { Context } from 'hono'
import { invalid, ServiceError } from '../domain/errors.ts'
import { LOOP_HEADER, LOOP_MARK } from '../domain/loop-mark.ts'
import type { Bound } from './bound.ts'
import { headerOf } from './header-in.ts'

/**
 * Callbacks of a sandbox change nothing in a sandbox: one whose `callback_url` makes another callback would go on for ever.
 * @throws ServiceError 400 for an operation of the service, 403 for one of the sandbox's own API
 */
export function refuseOwnCallback(c: Context, { kind, needs }: Bound): void {
  if (c.req.method === 'GET' || (kind === 'control' && needs === 'reading')) return
  const value = headerOf(c, LOOP_HEADER)
  if (value === undefined || !isMarked(value)) return
  const why = `${c.req.path} takes no callback of a sandbox (${LOOP_HEADER}: ${LOOP_MARK}): callback_url is to be an address of yours, or an inbox (GET /sandbox/inbox/{name})`
  throw kind === 'service' ? invalid(why) : new ServiceError('permission_denied', why)
}

/** Proxies on the way add marks of their own, and parameters (RFC 8586, 2). */
const isMarked = (value: string) =>
  value.split(',').some((each) => each.split(';')[0]!.trim().toLowerCase() === LOOP_MARK)
