import { useEffect } from 'preact/hooks'
import type { LedgerBalance, LedgerPosting } from '../../src/generated/control/types.ts'
import { accountName, isTeams } from '../core/accounts.ts'
import { money } from '../core/format.ts'
import { listOf } from '../core/list.ts'
import { hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { changes } from '../core/store.ts'
import { useRead } from '../core/use-read.ts'
import type { Ledger } from '../../src/client/types.ts'
import { Pill, Time } from '../parts/bits.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { Rows, type Column } from '../parts/rows.tsx'

const PAGE = 100

const postings = listOf<LedgerPosting>({
  async page(before) {
    const query = { limit: PAGE, before }
    const found = await session.peek()!.transport.ask<Ledger>('GET', '/sandbox/ledger', { query })
    return { items: found.postings, next: found.next_before }
  },
  order: ({ id }) => id,
})

const columns: readonly Column<LedgerPosting>[] = [
  { title: 'Time', width: 'var(--time)', cell: ({ at }) => <Time at={at} /> },
  {
    title: 'Posted',
    cell: ({ kind, transaction, lines, currency }) => (
      <span class="stack">
        <span class="one-line">
          {kind.replaceAll('_', ' ')}
          {transaction && (
            <>
              {' of '}
              <a class="mono" href={hrefOf('tx', transaction)}>
                <bdi>{transaction}</bdi>
              </a>
            </>
          )}
        </span>
        <span class="below one-line">{linesText(lines, currency)}</span>
      </span>
    ),
  },
  {
    title: 'Accounts',
    wide: true,
    width: '58%',
    cell: ({ lines, currency }) => <span class="num soft">{linesText(lines, currency)}</span>,
  },
]

const linesText = (lines: LedgerPosting['lines'], currency: string) =>
  lines.map(({ account, amount }) => `${accountName(account)} ${signed(amount, currency)}`).join('  ·  ')

const signed = (amount: number, currency: string) => `${amount > 0 ? '+' : ''}${money(amount, currency)}`

/** Account balances and postings. */
export function LedgerPage() {
  const booked = changes.value['posting']
  const { world } = session.value!
  const { value, error, again } = useRead(
    () => session.peek()!.transport.ask<Ledger>('GET', '/sandbox/ledger', { query: { limit: 1 } }),
    [world],
    [booked],
  )
  useEffect(() => postings.clear(), [world, changes.value['reset']])
  useEffect(() => void postings.load(), [world, booked, changes.value['reset']])
  const balances = value?.balances ?? []
  const others = balances.filter(({ account }) => !isTeams(account))
  return (
    <>
      <header class="head">
        <h1>Ledger</h1>
        {value && (
          <Pill tone={value.balanced ? 'good' : 'bad'}>{value.balanced ? 'balanced' : 'not balanced'}</Pill>
        )}
        {value && (
          <span class="soft">{value.checked_postings.toLocaleString('en')} postings summed anew</span>
        )}
      </header>
      {error && !value ? (
        <NotThere state="failed" error={error} retry={again} />
      ) : (
        <section class="card" aria-label="Balances">
          <header class="bar">
            <h2>Balances</h2>
          </header>
          <Balances of={balances.filter(({ account }) => isTeams(account))} />
          {others.length > 0 && (
            <details class="fold">
              <summary>Outside and service fees</summary>
              <Balances of={others} />
            </details>
          )}
        </section>
      )}
      <section class="card" aria-label="Postings">
        <header class="bar">
          <h2>Postings</h2>
        </header>
        {postings.items.value.length > 0 ? (
          <Rows
            label="Postings, newest first"
            items={postings.items.value}
            columns={columns}
            keyOf={({ id }) => id}
            href={({ transaction }) => (transaction === null ? undefined : hrefOf('tx', transaction))}
            older={postings.more.value ? () => void postings.older() : undefined}
          />
        ) : postings.state.value === 'there' ? (
          <Empty icon="ledger" title="No postings yet" />
        ) : (
          <NotThere
            state={postings.state.value}
            error={postings.error.value}
            retry={() => void postings.load()}
          />
        )}
      </section>
    </>
  )
}

const Balances = ({ of }: { of: readonly LedgerBalance[] }) => (
  <ul class="balances">
    {of.map((each) => (
      <Balance key={each.account} of={each} />
    ))}
  </ul>
)

const Balance = ({ of: { account, balance, currency } }: { of: LedgerBalance }) => (
  <li>
    <span class="soft">{accountName(account)}</span>
    <b class="num">{money(balance, currency)}</b>
  </li>
)
