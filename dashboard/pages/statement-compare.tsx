import { useState } from 'preact/hooks'
import type { Ledger, Statement } from '../../src/client/types.ts'
import type { LedgerPosting } from '../../src/generated/control/types.ts'
import { act, busy } from '../core/actions.ts'
import { counted, money } from '../core/format.ts'
import { hrefOf } from '../core/route.ts'
import type { Session } from '../core/session.ts'
import { Button, Pill, Said } from '../parts/bits.tsx'
import { compared, type Comparison } from './compare.ts'

/** Postings per page, and maximum number of pages read. */
const PAGE = 1_000
const PAGES = 20

/** Loads postings back to the start of the period. @returns undefined if there are too many */
async function postingsSince({ transport }: Session, from: string | null) {
  const all: LedgerPosting[] = []
  let before: number | undefined
  for (let n = 0; n < PAGES; n++) {
    const query = { limit: PAGE, before }
    const { postings, next_before } = await transport.ask<Ledger>('GET', '/sandbox/ledger', { query })
    all.push(...postings)
    const last = postings.at(-1)
    if (next_before === null || (from !== null && last && Date.parse(last.at) < Date.parse(from))) return all
    before = next_before
  }
  return undefined
}

/**
 * A statement may be wrong on purpose, the ledger never is. Hidden by default, since finding the difference
 * is the integrator's task.
 */
export function Compare({ of: statement }: { of: Statement }) {
  const [found, setFound] = useState<Comparison>()
  const { currency } = statement
  const compare = () =>
    void act(async (world) => {
      const postings = await postingsSince(world, statement.from)
      if (!postings) return 'The ledger is too long to compare; choose a later start.'
      setFound(compared(statement, postings))
    }, 'read')
  return (
    <section class="card" aria-label="Comparison with the ledger">
      <header class="bar">
        <h2>Comparison with the ledger</h2>
        {found && (
          <Pill tone={found.differences.length === 0 ? 'good' : 'bad'}>
            {found.differences.length === 0 ? 'the same' : counted(found.differences.length, 'difference')}
          </Pill>
        )}
        <span class="actions">
          <Button needs="read" disabled={busy.value} onClick={compare}>
            Compare with the ledger
          </Button>
        </span>
      </header>
      {!found ? (
        <p class="in-card soft">
          The lines say what the service tells its customers; the ledger is what happened. Whether your
          reconciliation finds where they differ can be tried: the number 0700000121 pays and is left out.
        </p>
      ) : found.differences.length === 0 ? (
        <p class="in-card soft">
          {counted(found.postings, 'posting')} of the ledger, all identical in the statement.
        </p>
      ) : (
        <ul class="plain-list">
          {found.differences.map(({ posting, reference, what, said, booked }) => (
            <li key={posting} class="line">
              <span>
                {reference === null ? (
                  `Posting ${posting}`
                ) : (
                  <a href={hrefOf('tx', reference)}>
                    <Said>{reference}</Said>
                  </a>
                )}{' '}
                <span class="soft">{what}</span>
              </span>
              <span class="num">
                {said === null ? 'nothing' : money(said, currency)} told,{' '}
                {booked === null ? 'nothing' : money(booked, currency)} booked
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
