import type { Context } from 'hono'
import type { Wall } from '../clock.ts'
import type { Log } from '../log.ts'
import type { JournalEntry } from '../worlds/journal.ts'
import type { Env } from './env.ts'
import type { AnswerFault } from './errors.ts'
import { cutsAnswer } from './faults.ts'
import { closeEntry } from './journal.ts'
import type { Metrics } from './metrics.ts'

/** Stands around whatever answers a request. */
export type Logged = (c: Context<Env>, answer: () => Promise<Response>) => Promise<Response>

/**
 * Writes a line a request when its answer is ready, and puts the answer on the world's record. It is no middleware: hono takes
 * a shorter way to a handler that stands alone.
 * @param answerFault answers for what is thrown
 */
export const requestLog =
  (log: Log, wall: Wall, answerFault: AnswerFault, metrics?: Metrics): Logged =>
  async (c, answer) => {
    const started = wall()
    let response: Response
    try {
      response = await answer()
    } catch (error) {
      response = answerFault(error as Error, c)
    }
    const ms = wall() - started
    // Absent when the request was refused before its credentials were read.
    const entry = c.get('entry') as JournalEntry | undefined
    // A connection that was cut has no status.
    const status = cutsAnswer(entry?.fault) ? 0 : response.status
    if (entry) closeEntry(c.get('world'), entry, status, ms)
    metrics?.request(entry?.operation || 'other', status, ms)
    if (!log.writes('info')) return response
    const decision = entry?.considered?.decision
    const { method, path } = c.req
    log.info('request', {
      method,
      path,
      status,
      ms,
      scenario: decision?.scenario,
      by: decision?.scenario && decision.by,
      over: decision?.over.length ? decision.over : undefined,
      fault: entry?.fault,
      world: entry && c.get('world').name,
      username: entry?.username,
      id: entry?.id,
    })
    return response
  }
