import { computed, signal } from '@preact/signals'
import { newPayment } from '../core/dialogs.ts'
import { handsetBeside, showHandset, useHandsetAtPrompt } from '../core/beside.ts'
import { counted, phone } from '../core/format.ts'
import { useRoomy } from '../core/use-roomy.ts'
import { atNeed } from '../parts/at-need.tsx'
import { useList } from '../core/resource.ts'
import { hrefOf, route, go } from '../core/route.ts'
import { session } from '../core/session.ts'
import {
  happenings,
  type Happening,
  prompted,
  requests,
  type Transaction,
  transactions,
  callbackResource,
  requestResource,
} from '../core/store.ts'
import { describeEvent, type EventDescription, type Kind, kinds } from '../core/describe-event.ts'
import { useKeys } from '../core/use-keys.ts'
import { Button, Pill, Time } from '../parts/bits.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty } from '../parts/list-states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Figures } from './live-figures.tsx'
import { FirstPayment } from './first-payment.tsx'

interface Line extends EventDescription {
  readonly n: number
  readonly at: string
}

/** The events at the time the feed was paused; undefined while it runs. */
const held = signal<readonly Happening[] | undefined>(undefined)

const kind = computed(() => route.value.query['kind'] as Kind | undefined)

const told = new WeakMap<Happening, Line | null>()

/** Events do not change, so each is described once. */
function lineOf(happening: Happening, byId: ReadonlyMap<number, Transaction>): Line | null {
  const known = told.get(happening)
  if (known !== undefined) return known
  const words = describeEvent(happening, (id) => byId.get(id))
  const line = words ? { ...words, n: happening.n, at: happening.at } : null
  told.set(happening, line)
  return line
}

const all = computed(() => {
  const byId = new Map(transactions.value.map((each) => [each.id, each]))
  return (held.value ?? happenings.value).flatMap((each) => lineOf(each, byId) ?? [])
})
const lines = computed(() => {
  const wanted = kind.value
  return wanted === undefined ? all.value : all.value.filter((each) => each.kind === wanted)
})

/** Reasons of rejected requests, which their events do not contain. */
const errors = computed(() => new Map(requests.items.value.map(({ id, error }) => [id, error])))

const aboutOf = ({ kind, about, leads }: Line) =>
  (kind === 'requests' && errors.value.get(leads![1])) || about

const columns: readonly Column<Line>[] = [
  { title: 'Time', is: 'time', cell: ({ at }) => <Time at={at} /> },
  {
    title: 'Event',
    is: 'main',
    cell: (line) => (
      <span class="with-icon">
        <Icon name={line.icon} />
        {line.leads ? <a href={hrefOf(...line.leads)}>{line.what}</a> : line.what}
      </span>
    ),
  },
  { title: 'About', rank: 1, cell: (line) => <bdi>{aboutOf(line)}</bdi> },
  {
    title: 'State',
    is: 'state',
    cell: ({ state }) => state && <Pill tone={state[0]}>{state[1]}</Pill>,
  },
]

export function Live() {
  useList(requestResource)
  useList(callbackResource)
  useKeys([{ keys: '.', what: 'Hold the feed, or let it go on', group: 'In a list', run: hold }], [])
  useHandsetAtPrompt()
  const roomy = useRoomy()
  const beside = roomy && handsetBeside.value
  const news = held.value ? (happenings.value[0]?.n ?? 0) - (held.value[0]?.n ?? 0) : 0
  return (
    <>
      <header class="head">
        <h1>Live</h1>
        <span class="soft one-line">
          events in <bdi>{session.value!.name ?? session.value!.world}</bdi>, newest first
        </span>
        <div class="actions">
          <Button
            icon={held.value ? 'play' : 'pause'}
            keys="."
            pressed={held.value !== undefined}
            onClick={hold}
          >
            {held.value ? (news > 0 ? `${news.toLocaleString('en')} new` : 'Go on') : 'Hold'}
          </Button>
          {roomy && (
            <Button
              needs="read"
              icon="phone"
              pressed={handsetBeside.value}
              onClick={() => showHandset(!handsetBeside.value)}
            >
              Handset
            </Button>
          )}
          <Button kind="main" icon="plus" keys="n" onClick={() => newPayment()}>
            New payment
          </Button>
        </div>
      </header>
      <Figures />
      {!beside && <Prompted />}
      <div class={beside ? 'with-handset' : 'of-list'}>
        <section class="card" aria-label="Activity">
          <header class="bar">
            <h2>Activity</h2>
            <Kinds />
          </header>
          {lines.value.length > 0 ? (
            <Table
              label="Events, newest first"
              items={lines.value}
              columns={columns}
              keyOf={({ n }) => n}
              href={({ leads }) => leads && hrefOf(...leads)}
            />
          ) : all.value.length > 0 ? (
            <Empty icon="search" title="No events of this kind yet">
              <Button needs="read" onClick={() => go(hrefOf('live'))}>
                Show all {counted(all.value.length, 'event')}
              </Button>
            </Empty>
          ) : (
            <FirstPayment />
          )}
        </section>
        {beside && <LiveHandset />}
      </div>
    </>
  )
}

/** Loaded with the first prompt. */
const LiveHandset = atNeed(async () => (await import('./live-handset.tsx')).LiveHandset)

/** A link to the waiting prompt if the handset is not visible. */
function Prompted() {
  const first = prompted.value.at(-1)
  if (!first) return null
  return (
    <p class="bar-note wait">
      <Icon name="phone" />
      <span>
        A prompt waits on <bdi class="num">{phone(first.party)}</bdi>.
      </span>
      <a class="button" href={hrefOf('phone', first.party)}>
        Answer it
      </a>
    </p>
  )
}

function hold(): void {
  held.value = held.peek() ? undefined : happenings.peek()
}

/** The filter by kind, stored in the address. */
const Kinds = () => (
  <nav class="chips" aria-label="Kinds">
    <a class="chip" href={hrefOf('live')} aria-current={kind.value === undefined ? 'true' : undefined}>
      All
    </a>
    {Object.entries(kinds).map(([id, title]) => (
      <a
        key={id}
        class="chip"
        href={hrefOf('live', undefined, { kind: id })}
        aria-current={kind.value === id ? 'true' : undefined}
      >
        {title}
      </a>
    ))}
  </nav>
)
