import type { KycReview } from '../../src/client/types.ts'
import { act, busy } from '../core/actions.ts'
import { resource, useList, useValue } from '../core/resource.ts'
import { hrefOf, route, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { Button, Status, Time } from '../parts/bits.tsx'
import { Icon } from '../parts/icon.tsx'
import { Curl } from '../parts/curl.tsx'
import { Empty } from '../parts/list-states.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { type Column, nameColumn } from '../parts/table.tsx'
import { KycDetail } from './kyc-detail.tsx'

const submissions = resource<KycReview>({
  path: '/sandbox/kyc',
  rows: 'kyc',
  order: ({ id }) => id,
  events: ['kyc', 'team'],
})

const filters = [
  {
    label: 'States',
    name: 'state',
    values: { open: 'To review', approved: 'Approved', rejected: 'Rejected' },
  },
]

const hrefTo = ({ id }: KycReview) => hrefOf('kyc', id, route.value.query)

const columns: readonly Column<KycReview>[] = [
  { title: 'Sent', is: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
  nameColumn('Team', hrefTo, (each) => each.team || `Team ${each.account_id}`),
  { title: 'Kind', rank: 1, cell: ({ submission }) => <span class="soft">{submission.entity_type}</span> },
  { title: 'For', rank: 2, cell: ({ kyc_tier }) => (kyc_tier === null ? '' : <span>tier {kyc_tier}</span>) },
  {
    title: 'Documents',
    rank: 3,
    right: true,
    cell: ({ documents }) => <span class="num">{documents.length}</span>,
  },
  { title: 'State', is: 'state', cell: ({ status }) => <Status of={status} /> },
]

/** KYC submissions and their manual review. */
export function Kyc() {
  const { state } = route.value.query
  const list = useList(submissions, { status: state })
  return (
    <ListPage
      title="KYC desk"
      noun="submission"
      list={list}
      columns={columns}
      href={hrefTo}
      chosen={thing.value}
      filters={filters}
      detail={
        <KycDetail
          of={list.items.value.find(({ id }) => id === Number(thing.value))}
          id={thing.value ?? ''}
          known={list.state.value === 'there'}
        />
      }
      empty={<NoSubmission />}
      above={<ByItself />}
    />
  )
}

/** Turns automatic review off. */
const NEVER = '365d'

/** Explains that the automatic review may be faster than the reader. */
function ByItself() {
  const { client, world } = session.value!
  const { value, again } = useValue(() => client.show(), [world], ['settings'])
  if (!value) return null
  const { review_after } = value.settings
  const isLeft = review_after === NEVER
  const set = (to: string, done: string) =>
    void act(async () => {
      await client.configure({ review_after: to })
      again()
      return done
    }, 'own')
  return (
    <p class="bar-note">
      <Icon name="clock" />
      <span>
        {isLeft
          ? 'Submissions wait for your review.'
          : `The service approves submissions automatically after ${review_after}.`}
      </span>
      <Button
        needs="own"
        disabled={busy.value}
        onClick={() =>
          isLeft ? set('10s', 'Automatic review is on.') : set(NEVER, 'New submissions wait for your review.')
        }
      >
        {isLeft ? 'Review automatically' : 'Review manually'}
      </Button>
    </p>
  )
}

function NoSubmission() {
  const { client, world } = session.value!
  const { value: teams = [] } = useValue(() => client.teams.list(), [world])
  // The Team with the lowest tier benefits most.
  const [team] = teams.toSorted((a, b) => a.kyc_tier - b.kyc_tier)
  return (
    <Empty icon="kyc" title="No KYC submissions yet">
      <p>
        Verified Teams may collect and pay out more. Submissions are reviewed automatically after a while, or
        manually here. Send one:
      </p>
      <Curl
        label="A submission by curl"
        path="/api/v2/account_kycs"
        body={{
          account_id: team?.id ?? settings.collector?.id,
          entity_type: 'individual',
          country_code: 'KE',
          contact_information: {
            first_name: 'Wanjiru',
            last_name: 'Kamau',
            identification_type: 'national_id',
            identification_number: 23456789,
            upload_information: {
              identification_front_document: 'https://files.example/id-front.jpg',
              selfie_image: 'https://files.example/selfie.jpg',
            },
          },
        }}
      />
    </Empty>
  )
}
