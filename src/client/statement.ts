import { requireKnown } from './filters.ts'
import type { Transport } from './transport.ts'
import type { StatementFilter, WorldClient } from './types.ts'

const FILTERS = ['account_id', 'wallet', 'currency', 'from', 'to']
/** Lines a page. */
const LIMIT = 10_000

/** A statement, all its pages in one. */
export const statementOf =
  ({ call }: Transport): WorldClient['statement'] =>
  async (asked = {}) => {
    requireKnown('statement', asked, FILTERS)
    const { from, to, ...rest } = asked satisfies StatementFilter
    const query = { ...rest, from: timeText(from), to: timeText(to), limit: LIMIT }
    const page = (after: number | undefined) => call('getStatement', { query: { ...query, after } })
    const first = await page(undefined)
    const lines = [...first.lines]
    let last = first
    while (last.next_after !== null) lines.push(...(last = await page(last.next_after)).lines)
    return { ...last, lines }
  }

const timeText = (time: string | Date | undefined) => (time instanceof Date ? time.toISOString() : time)
