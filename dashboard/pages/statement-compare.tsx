import type { Ledger, Statement } from '../../src/client/types.ts'
import type { LedgerPosting } from '../../src/generated/control/types.ts'
import { counted, money } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Button, Pill, Said } from '../parts/bits.tsx'
import { compared } from './compare.ts'

/** Postings per page, and maximum number of pages read. */
const PAGE = 1_000
const PAGES = 20

/** Loads the postings of an account back to the start of a period. */
async function postingsSince(account: string, from: string | null) {
  const all: LedgerPosting[] = []
  let before: number | undefined
  for (let n = 0; n < PAGES; n++) {
    const query = { account, limit: PAGE, before }
    const { transport } = session.peek()!
    const { postings, next_before } = await transport.ask<Ledger>('GET', '/sandbox/ledger', { query })
    all.push(...postings)
    const last = postings.at(-1)
    if (next_before === null || (from !== null && last && Date.parse(last.at) < Date.parse(from))) return all
    before = next_before
  }
  throw new Error('The ledger is too long to compare; choose a later start.')
}

/** The differences of a statement from the ledger. A statement may be wrong on purpose, the ledger never is. */
export function Compare({ of: statement }: { of: Statement }) {
  const { account_id, wallet, currency, from, to, lines, closing_balance } = statement
  const account = `team:${account_id}:${wallet}:${currency}`
  const { value, error, again } = useValue(
    async () => compared(statement, await postingsSince(account, from)),
    [session.value!.world, account, from, to, lines.length, closing_balance],
    ['posting'],
  )
  const { differences = [], postings = 0 } = value ?? {}
  return (
    <section class="card" aria-label="Comparison with the ledger" aria-busy={!value && !error}>
      <header class="bar">
        <h2>Compared with the ledger</h2>
        {value && (
          <Pill tone={differences.length === 0 ? 'good' : 'bad'}>
            {differences.length === 0
              ? `${counted(postings, 'posting')}, all the same`
              : counted(differences.length, 'difference')}
          </Pill>
        )}
        {error && (
          <>
            <span class="soft">{error}</span>
            <Button needs="read" onClick={again}>
              Try again
            </Button>
          </>
        )}
      </header>
      {differences.length > 0 && (
        <ul class="plain-list">
          {differences.map(({ posting, reference, what, said, booked }) => (
            <li key={posting} class="line">
              <span>
                <a href={hrefOf('ledger', posting, { account })}>
                  {reference === null ? `Posting ${posting}` : <Said>{reference}</Said>}
                </a>{' '}
                <span class="soft">{what}</span>
              </span>
              <span class="num">
                {said === null ? 'nothing' : money(said, currency)} in the statement,{' '}
                {booked === null ? 'nothing' : money(booked, currency)} in the ledger
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
