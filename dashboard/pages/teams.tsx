import { useEffect } from 'preact/hooks'
import type { Team } from '../../src/client/types.ts'
import type { TeamPage } from '../../src/generated/control/types.ts'
import { money } from '../core/format.ts'
import { curlUser } from '../core/here.ts'
import { listOf } from '../core/list.ts'
import { curlOf } from '../core/payment.ts'
import { go, hrefOf, route, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { changes, changesOf } from '../core/store.ts'
import { useCalm } from '../core/use-calm.ts'
import { Block, Button, Said } from '../parts/bits.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { Rows, type Column } from '../parts/rows.tsx'
import { Split } from '../parts/split.tsx'
import { TeamDetail } from './team-detail.tsx'

const teams = listOf<Team>({
  async page(before) {
    const query = { limit: 100, before, search: route.peek().query['text'] }
    const found = await session.peek()!.transport.ask<TeamPage>('GET', '/sandbox/teams', { query })
    return { items: found.teams, next: found.next_before }
  },
  order: ({ id }) => id,
})

const hrefTo = ({ id }: Team) => hrefOf('teams', id, route.value.query)

const holds = ({ wallets }: Team) =>
  wallets
    .filter(({ wallet }) => wallet === 'wallet')
    .map(({ balance }) => money(balance.amount, balance.currency))
    .join(', ')

const columns: readonly Column<Team>[] = [
  { title: 'Id', width: '4.5rem', cell: ({ id }) => <span class="num soft">{id}</span> },
  {
    title: 'Team',
    cell: (team) => (
      <span class="stack">
        <span class="one-line">
          <a href={hrefTo(team)}>
            <bdi>{team.name}</bdi>
          </a>
        </span>
        <span class="below one-line num">{holds(team)}</span>
      </span>
    ),
  },
  {
    title: 'Organization',
    wide: true,
    width: '24%',
    cell: ({ organization }) => <Said>{organization.name}</Said>,
  },
  {
    title: 'Wallet',
    wide: true,
    width: '24%',
    right: true,
    cell: (team) => <span class="num">{holds(team)}</span>,
  },
  { title: 'Tier', width: '4rem', right: true, cell: ({ kyc_tier }) => <span class="num">{kyc_tier}</span> },
]

export function Teams() {
  const { world } = session.value!
  const { query } = route.value
  const { text = '' } = query
  const calm = useCalm(changesOf(['posting', 'kyc', 'team']))
  useEffect(() => teams.clear(), [world, text, changes.value['reset']])
  useEffect(() => void teams.load(), [world, text, changes.value['reset'], calm])
  return (
    <Split
      title="Teams"
      detail={<TeamDetail key={thing.value} id={thing.value ?? ''} />}
      list={
        <>
          <header class="head">
            <h1>Teams</h1>
            <div class="actions">
              <input
                type="search"
                aria-label="Filter by name or mail address"
                placeholder="Name, mail address"
                value={text}
                onInput={({ currentTarget: { value } }) => {
                  const { text: _before, ...others } = query
                  go(hrefOf('teams', thing.value, value ? { ...others, text: value } : others), {
                    replace: true,
                  })
                }}
              />
            </div>
          </header>
          <section class="card" aria-label="Teams">
            <List text={text} />
          </section>
        </>
      }
    />
  )
}

function List({ text }: { text: string }) {
  const { items, state, error, more } = teams
  if (items.value.length > 0)
    return (
      <Rows
        label="Teams, newest first"
        items={items.value}
        columns={columns}
        keyOf={({ id }) => id}
        href={hrefTo}
        chosen={thing.value}
        older={more.value ? () => void teams.older() : undefined}
      />
    )
  if (state.value !== 'there')
    return <NotThere state={state.value} error={error.value} retry={() => void teams.load()} />
  if (text)
    return (
      <Empty icon="search" title="No Teams match">
        <Button needs="read" onClick={() => go(hrefOf('teams'))}>
          Show all Teams
        </Button>
      </Empty>
    )
  return (
    <Empty icon="people" title="No Teams visible">
      <p>The key's user has no role in any Team. Create one:</p>
      <Block
        label="A Team by curl"
        text={curlOf(settings.origin, curlUser(), '/api/v2/accounts', {
          organization_id: 1,
          name: 'My shop',
          currency: 'KES',
        })}
      />
    </Empty>
  )
}
