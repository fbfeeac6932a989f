import type { Ledger, Statement, Team } from '../../src/client/types.ts'
import type { LedgerPosting } from '../../src/generated/control/types.ts'
import { act, download } from '../core/actions.ts'
import { quoted } from '../core/curl.ts'
import { counted, money } from '../core/format.ts'
import type { FormSchema } from '../core/form.ts'
import { useValue } from '../core/resource.ts'
import { go, hrefOf, route } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { instantOf } from '../core/times.ts'
import { Block, Button, Pill, Said, Time } from '../parts/bits.tsx'
import { curlUser } from '../parts/curl.tsx'
import { Form } from '../parts/form.tsx'
import { setQuery } from '../parts/list-page.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { compared } from '../core/compare.ts'
import { credit, debit } from './ledger.tsx'

interface Asked {
  readonly account_id?: number
  readonly wallet?: 'wallet' | 'service_wallet' | 'savings'
  readonly currency?: string
  readonly from?: string
  readonly to?: string
}

const wallets = { wallet: 'wallet', service_wallet: 'service wallet', savings: 'savings' } as const

const period = /^(from|to)$/

const askedBy = ({ team, wallet, currency, from, to }: { readonly [name: string]: string }): Asked =>
  Object.fromEntries(
    Object.entries({ account_id: team && Number(team), wallet, currency, from, to }).filter(
      ([, value]) => value,
    ),
  )

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
          <Button needs="read" disabled={!value} onClick={() => void save(asked)}>
            Download as CSV
          </Button>
        </div>
      </header>
      <Choice teams={teams} shown={value} />
      {value ? (
        <Shown of={value} />
      ) : (
        <NotThere state={error ? 'failed' : 'loading'} error={error} retry={again} />
      )}
    </>
  )
}

const text = { kind: 'text' } as const
const chosen = { kind: 'text', required: true } as const
const schema: FormSchema = {
  kind: 'object',
  fields: { team: chosen, wallet: chosen, currency: chosen, from: text, to: text },
}
const day = { placeholder: 'YYYY-MM-DD', input: { maxLength: 10 } }

function Choice({ teams, shown }: { teams: readonly Team[]; shown: Statement | undefined }) {
  const { query } = route.value
  const id = String(shown?.account_id ?? query['team'] ?? '')
  const team = teams.find((each) => String(each.id) === id)
  const { wallet = 'wallet', currency = team?.currency ?? '', from, to } = query
  const held = team?.wallets.map((each) => each.currency) ?? []
  return (
    <Form<Readonly<Record<string, string>>>
      of={schema}
      label="Statement"
      class="card in-card"
      row
      instant
      needs="read"
      action="Show"
      initial={{ team: id, wallet, currency, from, to }}
      fields={{
        team: { choices: Object.fromEntries(teams.map((each) => [each.id, `${each.name} (${each.id})`])) },
        wallet: { choices: wallets },
        currency: { choices: Object.fromEntries([currency, ...held].map((each) => [each, each])) },
        from: { label: 'From', ...day },
        to: { label: 'Until before', ...day },
      }}
      send={async (change) => {
        for (const [name, value] of Object.entries(change)) {
          if (period.test(name) && value && !instantOf(value, 'UTC'))
            throw new Error(`${name} must be a day such as 2026-11-30`)
          setQuery(name, value)
        }
      }}
    />
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
