import type { Statement, Team } from '../../src/client/types.ts'
import { act, busy, download } from '../core/actions.ts'
import { curlUser } from '../parts/curl.tsx'
import { quoted } from '../core/curl.ts'
import { money } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { go, hrefOf, route } from '../core/route.ts'
import { session } from '../core/session.ts'
import { instantOf } from '../core/times.ts'
import { settings } from '../core/settings.ts'
import { Block, Button, Time } from '../parts/bits.tsx'
import { Empty, Loading, NotThere } from '../parts/list-states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { credit, debit } from './ledger.tsx'
import { Compare } from './statement-compare.tsx'

/** The parameters in the address. */
interface Asked {
  readonly account_id?: number
  readonly wallet?: 'wallet' | 'service_wallet' | 'savings'
  readonly currency?: string
  readonly from?: string
  readonly to?: string
}

const wallets = { wallet: 'wallet', service_wallet: 'service wallet', savings: 'savings' } as const

/** Bounds of the period by their query parameters. */
const period = { from: 'From', to: 'Until before' } as const

function askedBy({ team, wallet, currency, from, to }: { readonly [name: string]: string }): Asked {
  return {
    ...(team && { account_id: Number(team) }),
    ...(wallet && { wallet: wallet as keyof typeof wallets }),
    ...(currency && { currency }),
    ...(from && { from }),
    ...(to && { to }),
  }
}

const change = (name: string, value: string) => {
  const { [name]: _before, ...others } = route.peek().query
  go(hrefOf('statements', undefined, value ? { ...others, [name]: value } : others), { replace: true })
}

type Line = Statement['lines'][number] & { readonly n: number }

const columnsIn = (currency: string, hrefOfLine: (line: Line) => string): readonly Column<Line>[] => [
  { title: 'Time', is: 'time', cell: ({ time }) => <Time at={time} /> },
  {
    title: 'Line',
    is: 'main',
    cell: (line) => (
      <a href={hrefOfLine(line)}>
        {line.kind.replaceAll('_', ' ')}
        {line.reference !== null && (
          <>
            {' of '}
            <bdi>{line.external_reference ?? line.reference}</bdi>
          </>
        )}
      </a>
    ),
  },
  { title: 'Counterparty', rank: 3, cell: ({ counterparty }) => <bdi class="num">{counterparty}</bdi> },
  {
    title: 'Charge',
    rank: 4,
    right: true,
    cell: ({ charge }) => <span class="num soft">{charge === 0 ? '' : money(charge, currency)}</span>,
  },
  { title: 'Debit', rank: 2, right: true, cell: ({ amount }) => debit(amount, currency) },
  { title: 'Credit', rank: 1, right: true, cell: ({ amount }) => credit(amount, currency) },
  {
    title: 'Balance',
    is: 'amount',
    cell: ({ balance }) => <b class="num">{money(balance, currency)}</b>,
  },
]

/** The statement of a wallet. */
export function Statements() {
  const { client, world } = session.value!
  const { query } = route.value
  const asked = askedBy(query)
  const { value: teams = [] } = useValue(() => client.teams.list(), [world], ['team'])
  const { value, error, again } = useValue(() => client.statement(asked), [world, asked], ['posting'])
  return (
    <>
      <header class="head">
        <h1>Statements</h1>
        <div class="actions">
          <Button needs="read" disabled={busy.value || !value} onClick={() => void save(asked)}>
            Download as CSV
          </Button>
        </div>
      </header>
      <Choice teams={teams} shown={value} />
      {value ? (
        <Shown of={value} />
      ) : error ? (
        <NotThere state="failed" error={error} retry={again} />
      ) : (
        <Loading />
      )}
    </>
  )
}

function Choice({ teams, shown }: { teams: readonly Team[]; shown: Statement | undefined }) {
  const { query } = route.value
  const team = teams.find(({ id }) => id === (shown?.account_id ?? Number(query['team'])))
  const currencies = new Set([
    ...(team ? [team.currency, ...team.wallets.map(({ currency }) => currency)] : []),
    ...(query['currency'] ? [query['currency']] : []),
  ])
  const days = Object.entries(period).map(([name, label]) => (
    <label key={name}>
      {label}
      <input
        class="num"
        placeholder="YYYY-MM-DD"
        pattern="\d{4}-\d\d-\d\d"
        title="A day such as 2026-11-30"
        maxLength={10}
        value={query[name] ?? ''}
        onChange={({ currentTarget }) => {
          const { value } = currentTarget
          if (value === '' || (currentTarget.reportValidity() && instantOf(value, 'UTC'))) change(name, value)
        }}
      />
    </label>
  ))
  return (
    <section class="card in-card" aria-label="Statement">
      <div class="fields choices">
        <label>
          Team
          <select
            value={String(shown?.account_id ?? query['team'] ?? '')}
            onChange={({ currentTarget }) => change('team', currentTarget.value)}
          >
            {teams.map(({ id, name }) => (
              <option key={id} value={id}>
                {name} ({id})
              </option>
            ))}
          </select>
        </label>
        <label>
          Wallet
          <select
            value={query['wallet'] ?? 'wallet'}
            onChange={({ currentTarget }) => change('wallet', currentTarget.value)}
          >
            {Object.entries(wallets).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          Currency
          <select
            value={query['currency'] ?? team?.currency ?? ''}
            onChange={({ currentTarget }) => change('currency', currentTarget.value)}
          >
            {[...currencies].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        {days}
      </div>
    </section>
  )
}

function Shown({ of: statement }: { of: Statement }) {
  const { currency, opening_balance, closing_balance, totals, lines, carried_forward } = statement
  const figures = [
    ['Opening balance', opening_balance],
    ['In', totals.paid_in],
    ['Out', totals.paid_out],
    ['Charges', totals.charges],
    ['Closing balance', closing_balance],
  ] as const
  const { account_id, wallet, from, to } = statement
  const account = `team:${account_id}:${wallet}:${currency}`
  const toPosting = ({ posting }: Line) => hrefOf('ledger', posting, { account })
  return (
    <>
      <Compare key={`${account} ${from} ${to}`} of={statement} />
      <dl class="card summary">
        {figures.map(([name, amount]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={`num ${name === 'Closing balance' ? 'big' : ''}`}>{money(amount, currency)}</dd>
          </div>
        ))}
      </dl>
      {carried_forward && (
        <p class="advice">
          The opening balance includes the archived movements until <Time at={carried_forward.through} />.
        </p>
      )}
      <section class="card" aria-label="Lines">
        {lines.length > 0 ? (
          <Table
            label="Lines, oldest first"
            items={lines.map((line, n) => ({ ...line, n }))}
            columns={columnsIn(currency, toPosting)}
            keyOf={({ n }) => n}
            href={toPosting}
          />
        ) : (
          <Nothing />
        )}
      </section>
    </>
  )
}

function Nothing() {
  const { query } = route.value
  const { from, to } = query
  const within = from || to
  return (
    <Empty icon="ledger" title={within ? 'No movements in this period' : 'No movements yet'}>
      {within ? (
        <Button
          needs="read"
          onClick={() => {
            const { from: _from, to: _to, ...others } = query
            go(hrefOf('statements', undefined, others))
          }}
        >
          Show all
        </Button>
      ) : (
        <>
          <p>A payment that succeeds does. As a curl command:</p>
          <Block label="The statement by curl" text={curlHere()} />
        </>
      )}
    </Empty>
  )
}

const curlHere = () => `curl -u ${quoted(curlUser())} ${quoted(`${settings.origin}/sandbox/statements`)}`

/** Maximum number of lines in a file. */
const MOST = 10_000

const save = (asked: Asked) =>
  act(async ({ transport, world }) => {
    const query = { ...asked, format: 'csv', limit: MOST }
    const text = await transport.ask<string>('GET', '/sandbox/statements', { query })
    const name = [asked.account_id, asked.wallet, asked.from, asked.to].filter(Boolean).join('-')
    download(`statement-${world}${name && `-${name}`}.csv`, text, 'text/csv')
    return 'Statement saved.'
  }, 'read')
