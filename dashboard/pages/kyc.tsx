import { computed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { KycReview } from '../../src/client/types.ts'
import type { KycReviewPage } from '../../src/generated/control/types.ts'
import { act, busy } from '../core/actions.ts'
import { counted } from '../core/format.ts'
import { curlUser } from '../core/here.ts'
import { listOf } from '../core/list.ts'
import { curlOf } from '../core/payment.ts'
import { go, hrefOf, route, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { changes } from '../core/store.ts'
import { useRead } from '../core/use-read.ts'
import { Block, Button, Status, Time } from '../parts/bits.tsx'
import { FilterChips } from '../parts/filter-chips.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { Rows, type Column } from '../parts/rows.tsx'
import { Split } from '../parts/split.tsx'
import { KycDetail } from './kyc-detail.tsx'

const submissions = listOf<KycReview>({
  async page(before) {
    const query = { limit: 100, before }
    const found = await session.peek()!.transport.ask<KycReviewPage>('GET', '/sandbox/kyc', { query })
    return { items: found.kyc, next: found.next_before }
  },
  order: ({ id }) => id,
})

const states: { readonly [state: string]: string } = {
  open: 'To review',
  approved: 'Approved',
  rejected: 'Rejected',
}

const shown = computed(() => {
  const { state } = route.value.query
  return submissions.items.value.filter(
    ({ status }) =>
      state === undefined ||
      (state === 'open' ? status === 'pending' || status === 'in_review' : status === state),
  )
})

const hrefTo = ({ id }: KycReview) => hrefOf('kyc', id, route.value.query)

const tierText = ({ kyc_tier }: KycReview) => (kyc_tier === null ? '' : `tier ${kyc_tier}`)

const columns: readonly Column<KycReview>[] = [
  { title: 'Sent', width: 'var(--time)', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: 'Team',
    cell: (each) => (
      <span class="stack">
        <span class="one-line">
          <a href={hrefTo(each)}>
            <bdi>{each.team || `Team ${each.account_id}`}</bdi>
          </a>
        </span>
        <span class="below one-line">
          {[each.submission.entity_type, tierText(each)].filter(Boolean).join(', ')}
        </span>
      </span>
    ),
  },
  { title: 'For', wide: true, width: '6rem', cell: tierText },
  {
    title: 'Documents',
    wide: true,
    width: '6.5rem',
    right: true,
    cell: ({ documents }) => <span class="num">{documents.length}</span>,
  },
  { title: 'State', width: 'var(--state)', right: true, cell: ({ status }) => <Status of={status} /> },
]

/** KYC submissions and their manual review. */
export function Kyc() {
  const { world } = session.value!
  useEffect(() => submissions.clear(), [world, changes.value['reset']])
  useEffect(
    () => void submissions.load(),
    [world, changes.value['kyc'], changes.value['team'], changes.value['reset']],
  )
  return (
    <Split
      title="KYC desk"
      detail={
        <KycDetail
          of={submissions.items.value.find(({ id }) => id === Number(thing.value))}
          id={thing.value ?? ''}
          known={submissions.state.value === 'there'}
        />
      }
      list={
        <>
          <header class="head">
            <h1>KYC desk</h1>
          </header>
          <ByItself />
          <section class="card" aria-label="Submissions">
            <header class="bar">
              <FilterChips label="States" name="state" values={states} />
            </header>
            <List />
          </section>
        </>
      }
    />
  )
}

function List() {
  const { items, state, error, more } = submissions
  if (items.value.length === 0)
    return state.value === 'there' ? (
      <NoSubmission />
    ) : (
      <NotThere state={state.value} error={error.value} retry={() => void submissions.load()} />
    )
  if (shown.value.length === 0)
    return (
      <Empty icon="search" title="No submissions match">
        <Button needs="read" onClick={() => go(hrefOf('kyc'))}>
          Show all {counted(items.value.length, 'submission')}
        </Button>
      </Empty>
    )
  return (
    <Rows
      label="Submissions, newest first"
      items={shown.value}
      columns={columns}
      keyOf={({ id }) => id}
      href={hrefTo}
      chosen={thing.value}
      older={more.value ? () => void submissions.older() : undefined}
    />
  )
}

/** Turns automatic review off. */
const NEVER = '365d'

/** Explains that the automatic review may be faster than the reader. */
function ByItself() {
  const { client, world } = session.value!
  const { value, again } = useRead(
    () => client.show(),
    [world],
    [changes.value['settings'], changes.value['reset']],
  )
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
  const { value: teams = [] } = useRead(() => client.teams.list(), [world])
  // The Team with the lowest tier benefits most.
  const [team] = teams.toSorted((a, b) => a.kyc_tier - b.kyc_tier)
  return (
    <Empty icon="kyc" title="Nobody has sent a KYC yet">
      <p>
        Verified Teams may collect and pay out more. Submissions are reviewed automatically after a while, or
        manually here. Send one:
      </p>
      <Block
        label="A submission by curl"
        text={curlOf(settings.origin, curlUser(), '/api/v2/account_kycs', {
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
        })}
      />
    </Empty>
  )
}
