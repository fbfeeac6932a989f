import type { CertificationCheck, WorldCertification } from '../../src/generated/control/types.ts'
import { counted } from '../core/format.ts'
import type { Tone } from '../core/names.ts'
import { useValue } from '../core/resource.ts'
import { hrefOf, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { Article, Block, Facts, Pill, Said } from '../parts/bits.tsx'
import { Curl } from '../parts/curl.tsx'
import { Split } from '../parts/list-page.tsx'
import { Empty, Missing, NotThere } from '../parts/list-states.tsx'
import { type Column, Table } from '../parts/table.tsx'

type Verdict = CertificationCheck['verdict']

const words: Readonly<Record<Verdict, readonly [word: string, tone: Tone]>> = {
  fail: ['failed', 'bad'],
  inconclusive: ['inconclusive', 'wait'],
  pass: ['proved', 'good'],
  not_seen: ['not seen', 'plain'],
}

const Judged = ({ verdict }: { verdict: Verdict }) => (
  <Pill tone={words[verdict][1]}>{words[verdict][0]}</Pill>
)

/** The order of checks: failures first, passed ones last. */
const URGENCY: readonly Verdict[] = ['fail', 'inconclusive', 'not_seen', 'pass']

const byUrgency = (checks: readonly CertificationCheck[]) =>
  checks.toSorted(
    (a, b) =>
      URGENCY.indexOf(a.verdict) - URGENCY.indexOf(b.verdict) ||
      Number(a.level === 'recommended') - Number(b.level === 'recommended') ||
      Number(a.mode === 'active') - Number(b.mode === 'active'),
  )

const columns: readonly Column<CertificationCheck>[] = [
  {
    title: 'Check',
    is: 'main',
    cell: ({ id, title }) => <a href={hrefOf('certification', id)}>{title}</a>,
  },
  {
    title: 'Seen',
    rank: 3,
    cell: ({ observed }) => (
      <span class="soft">
        <Said>{observed}</Said>
      </span>
    ),
  },
  { title: 'Id', rank: 2, cell: ({ id }) => <code>{id}</code> },
  { title: 'Level', rank: 1, cell: ({ level }) => <span>{level}</span> },
  { title: 'So far', is: 'state', cell: ({ verdict }) => <Judged verdict={verdict} /> },
]

export function Certification() {
  const { world, transport } = session.value!
  const { value, error, again } = useValue(
    () => transport.ask<WorldCertification>('GET', '/sandbox/certification'),
    [world],
    ['request', 'transaction', 'attempt', 'world'],
  )
  return (
    <Split
      title="Certification"
      detail={<CheckDetail id={String(thing.value)} checks={value?.checks} />}
      list={
        <>
          <header class="head">
            <h1>Certification</h1>
            {value && <Standing of={value} />}
          </header>
          {value && <Figures of={value} />}
          <section class="card list" aria-label="Checks">
            {value ? (
              <Table
                label="Checks, open ones first"
                items={byUrgency(value.checks)}
                columns={columns}
                keyOf={({ id }) => id}
                href={({ id }) => hrefOf('certification', id)}
                chosen={thing.value}
              />
            ) : (
              <NotThere state={error ? 'failed' : 'loading'} error={error} retry={again} />
            )}
          </section>
        </>
      }
    />
  )
}

const Standing = ({ of: { ready, mandatory } }: { of: WorldCertification }) =>
  ready ? (
    <Pill tone="good">nothing failed so far</Pill>
  ) : mandatory.fail > 0 ? (
    <Pill tone="bad">not ready</Pill>
  ) : (
    <Pill tone="plain">not decided</Pill>
  )

function Figures({ of }: { of: WorldCertification }) {
  const { score, text, mandatory, recommended, checks, fix_first } = of
  if (score === null) return <Nothing of={of} />
  const made = checks.filter(({ verdict, mode }) => verdict === 'not_seen' && mode === 'active').length
  const first = checks.find(({ id }) => id === fix_first)
  return (
    <section class="card" aria-label="What is proved so far">
      <Facts
        of={[
          ['So far', text.replace(/^So far: ./, (first) => first.at(-1)!.toUpperCase())],
          ['Fix first', first && <First check={first} />],
          ['Mandatory', `${mandatory.pass} proved, ${mandatory.fail} failed, ${mandatory.not_seen} not seen`],
          [
            'Recommended',
            `${recommended.pass} proved, ${recommended.fail} failed, ${recommended.not_seen} not seen`,
          ],
          ['Based on', amountsOf(of.record.evaluated) || 'nothing'],
          ['Ignored', amountsOf(of.record.excluded) && <LeftOut of={of} />],
        ]}
      />
      {made > 0 && (
        <div class="part">
          <p class="soft">{counted(made, 'check')} have to be made to happen, by the command line:</p>
          <Block label="Certify a shop" text={command()} />
        </div>
      )}
    </section>
  )
}

/** For example `3 requests, 1 callback`. */
const amountsOf = ({ requests, transactions, callbacks }: WorldCertification['record']['evaluated']) =>
  [[requests, 'request'] as const, [transactions, 'payment'] as const, [callbacks, 'callback'] as const]
    .filter(([count]) => count > 0)
    .map(([count, of]) => counted(count, of))
    .join(', ')

const First = ({ check: { id, title, observed } }: { check: CertificationCheck }) => (
  <span class="stack">
    <a href={hrefOf('certification', id)}>{title}</a>
    <span class="soft">
      <Said>{observed}</Said>
    </span>
  </span>
)

const LeftOut = ({ of: { record } }: { of: WorldCertification }) => (
  <>
    {amountsOf(record.excluded)} not made by the shop.{' '}
    <a href={`${settings.at}/docs/guides/certification#reports`} target="_blank" rel="noopener">
      What counts
    </a>
  </>
)

const command = () => `npx --no -- payments-sandbox certify init --url ${settings.origin} > certify.yaml
npx --no -- payments-sandbox certify --report html=report.html`

const Nothing = ({ of }: { of: WorldCertification }) => (
  <section class="card" aria-label="What is proved so far">
    <Empty icon="certification" title="Nothing verified yet">
      <p>Checks evaluate your shop's requests in this world as they arrive. Start with a payment:</p>
      <Curl
        label="A payment by curl"
        path="/api/v2/payments"
        body={{
          amount: 100,
          phone_number: '0712345678',
          provider: 'm-pesa',
          network_code: '63902',
          external_reference: 'order-1',
          callback_url: 'https://shop.example/payments/callback',
        }}
      />
      {amountsOf(of.record.excluded) && (
        <p>
          Left out: <LeftOut of={of} />
        </p>
      )}
    </Empty>
  </section>
)

function CheckDetail({ id, checks }: { id: string; checks: readonly CertificationCheck[] | undefined }) {
  const check = checks?.find((each) => each.id === id)
  if (!check)
    return (
      <Missing
        title={`Check ${id} not found`}
        words="Ids of checks never change; the list has them all."
        loading={!checks}
      />
    )
  const [page = '', heading] = check.docs.split('#')
  const guide = `${settings.at}/docs/guides/${page.replace(/\.md$/, '')}${heading ? `#${heading}` : ''}`
  return (
    <Article title={check.title} beside={<Judged verdict={check.verdict} />}>
      <Facts
        of={[
          ['Check', <code>{check.id}</code>],
          ['Level', check.level],
          ['Seen', <Said>{check.observed}</Said>],
          ['Expected', check.expected],
          ['Why it matters', check.impact],
          ['How to fix it', check.fix],
          [
            'Guide',
            <a href={guide} target="_blank" rel="noopener">
              {check.docs}
            </a>,
          ],
        ]}
      />
      {check.verdict === 'not_seen' && check.mode === 'active' && (
        <section class="part">
          <p class="soft">The command line can trigger it:</p>
          <Block label="Try this check" text={`npx --no -- payments-sandbox certify --only ${check.id}`} />
        </section>
      )}
    </Article>
  )
}
