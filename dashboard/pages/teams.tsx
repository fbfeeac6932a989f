import type { Team } from '../../src/client/types.ts'
import { money } from '../core/format.ts'
import { resource, useList } from '../core/resource.ts'
import { hrefOf, route, thing } from '../core/route.ts'
import { Said } from '../parts/bits.tsx'
import { Curl } from '../parts/curl.tsx'
import { Empty } from '../parts/list-states.tsx'
import { ListPage, useSearch } from '../parts/list-page.tsx'
import { type Column, nameColumn } from '../parts/table.tsx'
import { TeamDetail } from './team-detail.tsx'

const teams = resource<Team>({
  path: '/sandbox/teams',
  rows: 'teams',
  order: ({ id }) => id,
  events: ['posting', 'kyc', 'team'],
})

const hrefTo = ({ id }: Team) => hrefOf('teams', id, route.value.query)

/** The first wallet, and how many others the Team has. */
function holds({ wallets }: Team): string {
  const [first, ...others] = wallets.filter(({ wallet }) => wallet === 'wallet')
  if (!first) return ''
  const { amount, currency } = first.balance
  return `${money(amount, currency)}${others.length > 0 ? ` +${others.length}` : ''}`
}

const columns: readonly Column<Team>[] = [
  nameColumn('Team', hrefTo, (team) => team.name),
  { title: 'Id', rank: 1, right: true, cell: ({ id }) => <span class="num soft">{id}</span> },
  {
    title: 'Organization',
    rank: 3,
    cell: ({ organization }) => (
      <span class="soft">
        <Said>{organization.name}</Said>
      </span>
    ),
  },
  { title: 'KYC', rank: 2, cell: ({ kyc_tier }) => <span class="num">tier {kyc_tier}</span> },
  { title: 'Wallet', is: 'amount', cell: (team) => <span class="num">{holds(team)}</span> },
]

export const Teams = () => (
  <ListPage
    title="Teams"
    noun="Team"
    list={useList(teams, { search: useSearch() })}
    columns={columns}
    href={hrefTo}
    chosen={thing.value}
    search={{ label: 'Search by name or mail address', placeholder: 'Name, mail address' }}
    detail={<TeamDetail key={thing.value} id={thing.value ?? ''} />}
    empty={
      <Empty icon="people" title="No Teams visible">
        <p>The key's user has no role in any Team. Create one:</p>
        <Curl
          label="A Team by curl"
          path="/api/v2/accounts"
          body={{
            organization_id: 1,
            name: 'My shop',
            currency: 'KES',
          }}
        />
      </Empty>
    }
  />
)
