import type { LedgerBalance, LedgerPosting } from '../../src/generated/control/types.ts'
import { accountName, isTeams } from '../core/accounts.ts'
import { money } from '../core/format.ts'
import { resource, useList, useValue } from '../core/resource.ts'
import { hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import type { Ledger } from '../../src/client/types.ts'
import { Pill, Said, TimeOfDay } from '../parts/bits.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { ListCard } from '../parts/list-page.tsx'
import type { Column } from '../parts/table.tsx'

const postings = resource<LedgerPosting>({
  path: '/sandbox/ledger',
  rows: 'postings',
  order: ({ id }) => id,
  events: ['posting'],
})

const columns: readonly Column<LedgerPosting>[] = [
  { title: 'Time', is: 'time', cell: ({ at }) => <TimeOfDay at={at} /> },
  {
    title: 'Posted',
    is: 'main',
    cell: ({ kind, transaction }) => (
      <>
        {kind.replaceAll('_', ' ')}
        {transaction && (
          <>
            {' of '}
            <a class="mono" href={hrefOf('tx', transaction)}>
              <Said>{transaction}</Said>
            </a>
          </>
        )}
      </>
    ),
  },
  {
    title: 'Accounts',
    rank: 1,
    cell: ({ lines, currency }) => <span class="num soft">{linesText(lines, currency)}</span>,
  },
]

const linesText = (lines: LedgerPosting['lines'], currency: string) =>
  lines.map(({ account, amount }) => `${accountName(account)} ${signed(amount, currency)}`).join('  ·  ')

const signed = (amount: number, currency: string) => `${amount > 0 ? '+' : ''}${money(amount, currency)}`

/** Account balances and postings. */
export function LedgerPage() {
  const { world, transport } = session.value!
  const { value, error, again } = useValue(
    () => transport.ask<Ledger>('GET', '/sandbox/ledger', { query: { limit: 1 } }),
    [world],
    ['posting'],
  )
  const list = useList(postings)
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
      <ListCard
        title="Postings"
        noun="posting"
        list={list}
        columns={columns}
        date={({ at }) => at}
        href={({ transaction }) => (transaction === null ? undefined : hrefOf('tx', transaction))}
        empty={<Empty icon="ledger" title="No postings yet" />}
      />
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
