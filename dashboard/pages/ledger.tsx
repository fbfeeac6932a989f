import type { Ledger, Team } from '../../src/client/types.ts'
import type { LedgerBalance, LedgerLine, LedgerPosting } from '../../src/generated/control/types.ts'
import { counted, money } from '../core/format.ts'
import { accountName } from '../core/names.ts'
import { resource, useList, useValue } from '../core/resource.ts'
import { hrefOf, route, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Facts, Pill, Said, Time, TimeOfDay } from '../parts/bits.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { Empty, Loading, NotThere } from '../parts/list-states.tsx'
import type { Column } from '../parts/table.tsx'

const postings = resource<LedgerPosting>({
  path: '/sandbox/ledger',
  rows: 'postings',
  order: ({ id }) => id,
  events: ['posting'],
})

/** Money into an account is a credit, as in the books of whoever keeps the account. */
const side = (amounts: number, currency: string, is: 'debit' | 'credit') => (
  <span class={`num ${is}`}>
    {is === 'debit' ? amounts < 0 && money(-amounts, currency) : amounts > 0 && money(amounts, currency)}
  </span>
)
export const debit = (amount: number, currency: string) => side(amount, currency, 'debit')
export const credit = (amount: number, currency: string) => side(amount, currency, 'credit')

const titleOf = ({ kind, transaction }: LedgerPosting) => (
  <>
    {kind.replaceAll('_', ' ')}
    {transaction && (
      <>
        {' of '}
        <span class="mono">
          <Said>{transaction}</Said>
        </span>
      </>
    )}
  </>
)

const sumOf = (lines: readonly LedgerLine[]) => lines.reduce((sum, { amount }) => sum + amount, 0)

/** The columns of the journal, or those of one account with its running balance. */
function columnsOf(account: string | undefined, teams: readonly Team[]): readonly Column<LedgerPosting>[] {
  const names = (lines: readonly LedgerLine[]) =>
    [...new Set(lines.map((line) => accountName(line.account, teams)))].join(', ')
  const own = ({ lines }: LedgerPosting) => sumOf(lines.filter((line) => line.account === account))
  const shared: readonly Column<LedgerPosting>[] = [
    { title: 'Time', is: 'time', cell: ({ at }) => <TimeOfDay at={at} /> },
    {
      title: 'Posting',
      is: 'main',
      cell: (posting) => <a href={hrefOf('ledger', posting.id, route.value.query)}>{titleOf(posting)}</a>,
    },
  ]
  if (account === undefined)
    return [
      ...shared,
      {
        title: 'Debit',
        rank: 2,
        cell: ({ lines }) => <Said>{names(lines.filter(({ amount }) => amount < 0))}</Said>,
      },
      {
        title: 'Credit',
        rank: 1,
        cell: ({ lines }) => <Said>{names(lines.filter(({ amount }) => amount > 0))}</Said>,
      },
      {
        title: 'Amount',
        is: 'amount',
        cell: ({ lines, currency }) => (
          <span class="num">{money(sumOf(lines.filter(({ amount }) => amount > 0)), currency)}</span>
        ),
      },
    ]
  return [
    ...shared,
    {
      title: 'Against',
      rank: 3,
      cell: ({ lines }) => <Said>{names(lines.filter((line) => line.account !== account))}</Said>,
    },
    { title: 'Debit', rank: 2, right: true, cell: (posting) => debit(own(posting), posting.currency) },
    { title: 'Credit', rank: 1, right: true, cell: (posting) => credit(own(posting), posting.currency) },
    {
      title: 'Balance',
      is: 'amount',
      cell: ({ balance, currency }) => (
        <b class="num">{balance === undefined ? '' : money(balance, currency)}</b>
      ),
    },
  ]
}

/** The journal of all postings, or the book of one account. */
export function LedgerPage() {
  const { world, transport, client } = session.value!
  const { account } = route.value.query
  const { value, error, again } = useValue(
    () => transport.ask<Ledger>('GET', '/sandbox/ledger', { query: { limit: 1 } }),
    [world],
    ['posting'],
  )
  const { value: teams = [] } = useValue(() => client.teams.list(), [world], ['team'])
  const list = useList(postings, { account })
  const { balances = [], balanced, checked_postings = 0 } = value ?? {}
  const chosen = balances.find((each) => each.account === account)
  return (
    <ListPage
      title={account === undefined ? 'Ledger' : accountName(account, teams)}
      noun="posting"
      list={list}
      columns={columnsOf(account, teams)}
      date={({ at }) => at}
      href={({ id }) => hrefOf('ledger', id, route.value.query)}
      chosen={thing.value}
      total={account === undefined ? checked_postings : undefined}
      filters={[
        {
          label: 'Account',
          name: 'account',
          all: 'every account',
          values: Object.fromEntries(
            balances.map((each) => [each.account, `${accountName(each.account, teams)}, ${each.currency}`]),
          ),
        },
      ]}
      actions={
        value && (
          <Pill tone={balanced ? 'good' : 'bad'}>
            {balanced ? `balanced, ${counted(checked_postings, 'posting')} summed anew` : 'not balanced'}
          </Pill>
        )
      }
      above={
        error && !value ? (
          <NotThere state="failed" error={error} retry={again} />
        ) : chosen ? (
          <dl class="card summary">
            <div>
              <dt>Balance</dt>
              <dd class="num big">{money(chosen.balance, chosen.currency)}</dd>
            </div>
          </dl>
        ) : (
          thing.value === undefined && <Balances of={balances} teams={teams} />
        )
      }
      empty={<Empty icon="ledger" title="No postings yet" />}
      detail={thing.value === undefined ? undefined : <Posting id={Number(thing.value)} teams={teams} />}
    />
  )
}

/** The balances by currency, each with equal sums of debits and credits. The first currency is open. */
function Balances({ of, teams }: { of: readonly LedgerBalance[]; teams: readonly Team[] }) {
  const currencies = [...new Set(of.map(({ currency }) => currency))]
  return (
    <section class="card" aria-label="Balances">
      {currencies.map((currency, n) => {
        const own = of.filter((each) => each.currency === currency && each.balance !== 0)
        return (
          <details key={currency} class="fold" open={n === 0}>
            <summary>
              {currency}: {counted(own.length, 'balance')}
            </summary>
            <Book
              label={`Balances, ${currency}`}
              currency={currency}
              lines={own.map(({ account, balance }) => ({ account, amount: balance }))}
              teams={teams}
            />
          </details>
        )
      })}
    </section>
  )
}

interface BookProps {
  readonly label: string
  readonly currency: string
  readonly lines: readonly { readonly account: string; readonly amount: number }[]
  readonly teams: readonly Team[]
}

/** Accounts with a debit and a credit column, and both sums. */
function Book({ label, currency, lines, teams }: BookProps) {
  const total = lines.reduce((sum, { amount }) => sum + Math.max(0, amount), 0)
  const debits = lines.reduce((sum, { amount }) => sum + Math.min(0, amount), 0)
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label={label}>
      <table class="book" aria-label={label}>
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col">Debit</th>
            <th scope="col">Credit</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ account, amount }, n) => (
            <tr key={`${account} ${n}`}>
              <td>
                <a href={hrefOf('ledger', undefined, { account })}>
                  <Said>{accountName(account, teams)}</Said>
                </a>
              </td>
              <td>{debit(amount, currency)}</td>
              <td>{credit(amount, currency)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Sum</th>
            <td>{debit(debits, currency)}</td>
            <td>{credit(total, currency)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

function Posting({ id, teams }: { id: number; teams: readonly Team[] }) {
  const { world, transport, client } = session.value!
  const { value, error, loading } = useValue(async () => {
    const query = { before: id + 1, limit: 1 }
    const { postings: found } = await transport.ask<Ledger>('GET', '/sandbox/ledger', { query })
    const posting = found.find((each) => each.id === id)
    const reference = posting?.transaction
    const timeline = reference ? await client.transactions.timeline(reference) : undefined
    return { posting, request: timeline?.events.find(({ request }) => request !== null)?.request }
  }, [world, id])
  if (loading) return <Loading />
  const { posting, request } = value ?? {}
  if (!posting)
    return (
      <Empty icon="search" title={`Posting ${thing.value} not found`}>
        <p>{error || 'It was archived, or the world was reset.'}</p>
      </Empty>
    )
  const { transaction } = posting
  return (
    <article class="card">
      <header class="bar">
        <h2>{titleOf(posting)}</h2>
      </header>
      <Facts
        of={[
          ['Posted', <Time at={posting.at} />],
          ['Payment', transaction !== null && <a href={hrefOf('tx', transaction)}>{transaction}</a>],
          ['Request', request && <a href={hrefOf('requests', request)}>{request}</a>],
        ]}
      />
      <Book label="Lines" currency={posting.currency} lines={posting.lines} teams={teams} />
    </article>
  )
}
