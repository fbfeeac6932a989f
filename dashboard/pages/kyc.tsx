import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { KycReview } from '../../src/client/types.ts'
import type { ReviewKycRequest } from '../../src/generated/control/types.ts'
import reviewSchema from 'schema:reviewKyc?reasons'
import submitSchema from 'schema:submitKyc?entity_type,country_code,country,notes,contact_information,entity_information,account_information'
import { act } from '../core/actions.ts'
import { counted, money } from '../core/format.ts'
import { titleOf } from '../core/form.ts'
import { useKeys, useRoomy } from '../core/hooks.ts'
import { resource, useList, useValue } from '../core/resource.ts'
import { go, hrefOf, route, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { Article, Button, Facts, Said, Status, Time } from '../parts/bits.tsx'
import { Curl } from '../parts/curl.tsx'
import { Form } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { Empty, Missing } from '../parts/list-states.tsx'
import { type Column, nameColumn } from '../parts/table.tsx'

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

const isOpen = ({ status }: KycReview) => status === 'pending' || status === 'in_review'

export function Kyc() {
  const { state } = route.value.query
  const list = useList(submissions, { status: state })
  const waiting = list.items.value.filter(isOpen)
  const roomy = useRoomy()
  const isNew = useRef(true)
  useEffect(() => {
    if (list.state.value !== 'there' || !isNew.current) return
    isNew.current = false
    // The one that waits longest is open at once if it fits.
    const oldest = waiting.at(-1)
    if (roomy && oldest && thing.peek() === undefined) go(hrefTo(oldest), { replace: true })
  })
  const kyc = list.items.value.find(({ id }) => id === Number(thing.value))
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
        kyc ? (
          <KycDetail of={kyc} next={waiting.filter((each) => each !== kyc)} />
        ) : (
          <Missing
            title={`Submission ${thing.value} not found`}
            words="The world was reset, or the submission is older than the list."
            loading={list.state.value !== 'there'}
          />
        )
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

/** A submission with its review. @param next - others that wait for a review */
function KycDetail({ of: kyc, next }: { of: KycReview; next: readonly KycReview[] }) {
  const { account_id, team, status, reasons, submission, created_at, updated_at, revision } = kyc
  const missing = missingIn(kyc)
  return (
    <Article
      title={team || `Team ${account_id}`}
      beside={<Status of={status} />}
      actions={isOpen(kyc) && <Decision of={kyc} />}
    >
      {!isOpen(kyc) && <Reviewed of={kyc} next={next.at(-1)} waiting={next.length} />}
      <Facts
        of={[
          [
            'Team',
            <a href={hrefOf('teams', account_id)}>
              <Said>{team}</Said> ({account_id})
            </a>,
          ],
          ['Sent', <Time at={created_at} />],
          [titleOf(status), updated_at !== created_at && <Time at={updated_at} />],
          ['Version', revision > 1 && revision],
          ['Rejected as', reasons.length > 0 && <Said>{reasons.join(' ')}</Said>],
        ]}
      />
      <Tier of={kyc} />
      <section class="part">
        <h3>Documents</h3>
        <ul class="documents">
          {kyc.documents.map(({ name, url }) => (
            <li key={`${name} ${url}`}>
              <Icon name="check" />
              <DocumentLink url={url}>{documentName(name)}</DocumentLink>
            </li>
          ))}
        </ul>
        <p class="soft small">
          {missing.length > 0 && `Not sent: ${missing.map(documentName).join(', ').toLowerCase()}. `}
          The sandbox stores the links and does not open them.
        </p>
      </section>
      {isOpen(kyc) && <Rejection key={`${kyc.id} ${revision}`} of={kyc} />}
      {parts(submission).map(([title, fields, values]) => (
        <Sent key={title} title={title} fields={fields} values={values} />
      ))}
    </Article>
  )
}

/** Only web addresses become links. */
const DocumentLink = ({ url, children }: { url: string; children: ComponentChildren }) =>
  /^https?:\/\//i.test(url) ? (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {children}
      <span class="unseen"> in another window</span>
    </a>
  ) : (
    <span>
      {children}: <Said>{url}</Said>
    </span>
  )

/** What approval changes. */
function Tier({ of: { account_id, kyc_tier, limits, status } }: { of: KycReview }) {
  const { client } = session.value!
  const { value } = useValue(() => client.teams.get(account_id), [account_id], ['team'])
  const now = value?.team.kyc_tier
  const after = kyc_tier ?? now
  return (
    <section class="part">
      <h3>{status === 'approved' ? 'Since its approval' : 'Once approved'}</h3>
      <Facts
        bare
        of={[
          ['Tier', now === undefined || now === after ? after : `${after}; it is ${now} now`],
          [
            'It may',
            limits &&
              `${limits.payouts_allowed ? 'pay out and ' : ''}collect into ${limits.wallet_collections_allowed ? 'its wallet' : 'channels only'}`,
          ],
          ['A payment', limits && `up to ${money(limits.per_transaction, 'KES')}`],
          ['A day', limits && `up to ${money(limits.per_day, 'KES')} each way`],
        ]}
      />
    </section>
  )
}

type Fields = NonNullable<typeof submitSchema.fields>

const fieldsOf = (name: string): Fields => submitSchema.fields![name]!.fields!

/** The parts of a submission, with the fields that the description has. */
function parts({
  contact_information,
  entity_information,
  account_information,
  ...rest
}: KycReview['submission']) {
  const general = Object.fromEntries(Object.entries(submitSchema.fields!).filter(([, { fields }]) => !fields))
  return (
    [
      ['General', general, rest],
      ['Person', fieldsOf('contact_information'), contact_information],
      ['Business', fieldsOf('entity_information'), entity_information],
      ['Details of the Team', fieldsOf('account_information'), account_information],
    ] as const
  ).flatMap(([title, fields, values]) => (values ? [[title, fields, values as object] as const] : []))
}

/** The fields of one part, and the names of those that are empty. */
function Sent({ title, fields, values }: { title: string; fields: Fields; values: object }) {
  const names = Object.keys(fields).filter((name) => !fields[name]!.fields)
  const valueOf = (name: string) => (values as Readonly<Record<string, unknown>>)[name] ?? ''
  const empty = names.filter((name) => valueOf(name) === '')
  return (
    <section class="part">
      <h3>{title}</h3>
      <Facts
        bare
        of={names
          .filter((name) => !empty.includes(name))
          .map((name) => [
            titleOf(name),
            <Said>
              {String(valueOf(name))
                .replace(/^true$/, 'yes')
                .replace(/^false$/, 'no')}
            </Said>,
          ])}
      />
      {empty.length > 0 && (
        <p class="soft small">Not sent: {empty.map((name) => titleOf(name).toLowerCase()).join(', ')}.</p>
      )}
    </section>
  )
}

const uploads = fieldsOf('contact_information')['upload_information']!.fields!

const documentName = (name: string) => (uploads[name]?.help ?? name).replace(/\.$/, '')

/** The documents that the description has for this kind of Team but were not sent. */
const missingIn = ({ submission: { entity_type }, documents }: KycReview) =>
  Object.keys(uploads).filter(
    (name) =>
      !documents.some((each) => each.name === name) &&
      (entity_type === 'business' || !name.startsWith('entity_')),
  )

const review = (id: number, status: ReviewKycRequest['status'], done: string) =>
  void act(async ({ client }) => {
    await client.kyc.review(id, { status })
    return done
  })

/** Approves a submission, or starts its review; the scheduled one is replaced. */
function Decision({ of: { id, status } }: { of: KycReview }) {
  const approve = () => review(id, 'approved', 'Approved; the Team has its new tier.')
  useKeys([{ keys: 'p', what: 'Approve the submission', group: 'Open item', run: approve }], [id])
  return (
    <>
      {status === 'pending' && (
        <Button onClick={() => review(id, 'in_review', 'In review.')}>Start review</Button>
      )}
      <Button kind="main" icon="check" keys="p" onClick={approve}>
        Approve
      </Button>
    </>
  )
}

const Rejection = ({ of: kyc }: { of: KycReview }) => (
  <Form<ReviewKycRequest>
    of={reviewSchema}
    label="Review"
    class="part"
    row
    fields={{
      reasons: {
        label: 'Reasons to reject it, one per line',
        suggestions: [
          'The identification has expired.',
          'The name differs from the identification.',
          ...new Set(kyc.documents.map(({ name }) => `${documentName(name)} is not legible.`)),
          ...missingIn(kyc)
            .filter((name) => !name.startsWith('secondary_'))
            .map((name) => `${documentName(name)} is missing.`),
        ],
        whole: true,
        input: { required: true },
      },
    }}
    action="Reject"
    kind="danger"
    send={async (body) => {
      await session.peek()!.client.kyc.review(kyc.id, { ...body, status: 'rejected' })
      return 'Rejected.'
    }}
  />
)

/** Leads on to the submission that waits longest. */
const Reviewed = ({
  of: { id, status },
  next,
  waiting,
}: {
  of: KycReview
  next: KycReview | undefined
  waiting: number
}) =>
  next || status === 'rejected' ? (
    <div class="part row">
      {next && (
        <a class="button main" href={hrefTo(next)}>
          Review the next of {counted(waiting, 'submission')}
        </a>
      )}
      {status === 'rejected' && (
        <p class="soft small">
          The Team may amend it by <code>PUT /api/v2/account_kycs/{id}</code>; it is pending again then.
        </p>
      )}
    </div>
  ) : null
