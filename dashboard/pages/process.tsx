import { useEffect, useState } from 'preact/hooks'
import { writeAddress } from '../core/address.ts'
import { type Moment, askAdmin, hasToken, keepToken, readMoment, readVersion } from '../core/admin.ts'
import { connectTo, SandboxError, wordsOf } from '../core/api.ts'
import type { FormSchema } from '../core/form.ts'
import { lasting } from '../core/times.ts'
import { undoable } from '../core/actions.ts'
import { counted } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { credentialsFor } from '../core/session.ts'
import { Block, Button, Card, Code, Facts, Pill, Said, Time } from '../parts/bits.tsx'
import { ConfirmButton } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { NotThere } from '../parts/list-states.tsx'
import { type Column, nameColumn, Table } from '../parts/table.tsx'
import { AllWorlds, Limits, Processes } from './process-worlds.tsx'
import type {
  AdminSettings,
  AdminSettingsChange,
  AdminWorldList,
  AdminRequestList,
} from '../../src/generated/control/types.ts'
import schema from 'schema:adminUpdateSettings?delay,chaos,validation'

/** Milliseconds between two measurements. */
const PAUSE = 5_000
/** Ten minutes of measurements. */
const KEPT = 120

interface Refusal {
  readonly status: number
  readonly words: string
}

export function Process() {
  const [moments, setMoments] = useState<readonly Moment[]>([])
  const [refusal, setRefusal] = useState<Refusal>()
  const [life, setLife] = useState(0)
  useEffect(() => {
    let current = true
    const look = async () => {
      if (document.hidden) return
      try {
        const moment = await readMoment()
        if (!current) return
        setRefusal(undefined)
        setMoments((before) => [...before, moment].slice(-KEPT))
      } catch (error) {
        if (current)
          setRefusal({ status: error instanceof SandboxError ? error.status : 0, words: wordsOf(error) })
      }
    }
    const again = () => void look()
    again()
    const timer = setInterval(again, PAUSE)
    document.addEventListener('visibilitychange', again)
    return () => {
      current = false
      clearInterval(timer)
      document.removeEventListener('visibilitychange', again)
    }
  }, [life])
  const now = moments.at(-1)
  const { value: version } = useValue(
    async () => (now ? readVersion() : undefined),
    [life, now !== undefined],
  )
  if (refusal && (refusal.status === 401 || refusal.status === 403))
    return <Locked refusal={refusal} again={() => setLife(life + 1)} />
  const { words = '' } = refusal ?? {}
  if (!now)
    return <NotThere state={refusal ? 'failed' : 'loading'} error={words} retry={() => setLife(life + 1)} />
  return (
    <>
      <header class="head">
        <h1>Process</h1>
        {refusal ? <Pill tone="bad">not reached</Pill> : <Pill tone="good">well</Pill>}
        <div class="actions">
          {hasToken() && (
            <Button
              needs="read"
              onClick={() => {
                keepToken('')
                setMoments([])
                setLife(life + 1)
              }}
            >
              Forget the token
            </Button>
          )}
        </div>
      </header>
      <Figures of={moments} />
      <div class="halves">
        <div class="stack-cards">
          <LastRequests of={now} />
          <AllWorlds key={life} />
        </div>
        <div class="stack-cards">
          <Card title="Process">
            <Facts
              of={[
                ['Version', version?.version ?? '…'],
                ['API', version?.api_version ?? '…'],
                ['Node.js', version?.node ?? '…'],
                ['For', lasting(now.health.uptime_ms)],
                ['Failing jobs', now.health.failing_jobs.toLocaleString('en')],
              ]}
            />
          </Card>
          <Disturbances now={now.settings} changed={() => setLife(life + 1)} />
          <Processes key={life} at={now.at} />
          <Limits />
        </div>
      </div>
      <Everything worlds={now.health.worlds} />
    </>
  )
}

const megabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(bytes < 10_485_760 ? 1 : 0)} MiB`
const whole = (value: number) => Math.round(value).toLocaleString('en')
const perSecond = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)}/s`

/** Converts counters to rates per second. */
const rates = (moments: readonly Moment[], count: (moment: Moment) => number) =>
  moments.slice(1).map((moment, n) => {
    const before = moments[n]!
    return Math.max(0, (count(moment) - count(before)) / ((moment.at - before.at) / 1_000))
  })

function Figures({ of: moments }: { of: readonly Moment[] }) {
  const measured = moments.filter(({ metrics }) => metrics !== undefined)
  const figures: readonly (readonly [
    label: string,
    values: readonly number[],
    shown: (value: number) => string,
  ])[] = [
    ['Worlds', moments.map(({ health }) => health.worlds), whole],
    ['Pending jobs', moments.map(({ health }) => health.pending_jobs), whole],
    ['Memory', moments.map(({ health }) => health.memory_bytes), megabytes],
    ['Requests', rates(measured, ({ metrics }) => metrics!.requests), perSecond],
    ['Callbacks', rates(measured, ({ metrics }) => metrics!.callbacks), perSecond],
    ['Data of worlds', measured.map(({ metrics }) => metrics!.bytes), megabytes],
  ]
  const since = lasting(moments.at(-1)!.at - moments[0]!.at)
  return (
    <>
      <dl class="figures">
        {figures.slice(0, measured.length > 0 ? 6 : 3).map(([label, values, shown]) => (
          <Figure key={label} label={label} values={values} shown={shown} since={since} />
        ))}
      </dl>
      {measured.length === 0 && (
        <p class="soft small">
          Start the sandbox with <code>SANDBOX_METRICS=on</code> to see requests and callbacks per second.
        </p>
      )}
    </>
  )
}

type Recorded = AdminRequestList['requests'][number]

const requestHref = ({ world, request: { id } }: Recorded) =>
  writeAddress({ world, page: 'requests', thing: id })

const requestColumns: readonly Column<Recorded>[] = [
  { title: 'Time', is: 'time', cell: ({ request: { at } }) => <Time at={at} /> },
  nameColumn('Request', requestHref, ({ request: { method, path } }) => `${method} ${path}`),
  { title: 'World', rank: 1, cell: ({ world }) => <Said>{world}</Said> },
  { title: 'Status', is: 'state', cell: ({ request: { status } }) => <Code status={status} /> },
]

const LastRequests = ({ of: { requests } }: { of: Moment }) => (
  <Card
    title="Requests of all worlds"
    beside={<span class="soft">{requests.total.toLocaleString('en')} logged</span>}
  >
    <Table
      label="Requests of all worlds, newest first"
      items={requests.requests}
      columns={requestColumns}
      keyOf={({ world, request: { id } }) => `${world} ${id}`}
      href={requestHref}
    />
  </Card>
)

/** Maximum number of worlds that Undo restores, since the window keeps their data. */
const MOST_KEPT = 200

/** Exports the worlds that this window has keys for. @returns what restores each */
async function exportAll(): Promise<readonly (() => Promise<unknown>)[]> {
  const kept: (() => Promise<unknown>)[] = []
  let after: string | null = ''
  while (after !== null && kept.length < MOST_KEPT) {
    const page: AdminWorldList = await askAdmin(
      'GET',
      `/__admin/worlds?limit=100${after && `&after=${encodeURIComponent(after)}`}`,
    )
    for (const { name } of page.worlds) {
      const key = credentialsFor(name)
      if (!key) continue
      const { client } = connectTo(key)
      // A key that may not read it all cannot restore it either.
      const data = await client.export().catch(() => undefined)
      if (data) kept.push(() => client.import(data))
    }
    after = page.next_after
  }
  return kept
}

/** The destructive action on all worlds, apart from the others. */
function Everything({ worlds }: { worlds: number }) {
  const lost = `the data of ${counted(worlds, 'world')}, and deletes all but the default and the created ones`
  const reset = () =>
    undoable(async () => {
      const kept = await exportAll()
      const { worlds: count } = await askAdmin<{ worlds: number }>('POST', '/__admin/reset')
      const those = kept.length === count ? 'all of them' : `the ${kept.length} whose keys this window has`
      return {
        text: `${counted(count, 'world was', 'worlds were')} reset or deleted.${kept.length > 0 ? ` Undo restores ${those}.` : ''}`,
        undo:
          kept.length > 0
            ? async () => {
                for (const restore of kept) await restore()
                return `${counted(kept.length, 'world is', 'worlds are')} back.`
              }
            : undefined,
      }
    }, 'read')
  return (
    <section class="card" aria-label="Destructive actions">
      <ul class="plain-list danger-list">
        <li class="line">
          <span class="soft">Discards {lost}.</span>
          <ConfirmButton
            label="Reset all worlds…"
            title="Reset all worlds?"
            words={`Discards ${lost}. Random delays and failures end. Undo restores every world whose key this window has.`}
            action="Reset all"
            needs="read"
            run={() => void reset()}
          />
        </li>
      </ul>
    </section>
  )
}

const tokenSchema: FormSchema = { kind: 'object', fields: { token: { kind: 'text', required: true } } }

/** Asks for the administrator token, or explains how to set one. */
function Locked({ refusal: { status, words }, again }: { refusal: Refusal; again: () => void }) {
  const tried = hasToken()
  return (
    <>
      <header class="head">
        <h1>Process</h1>
      </header>
      <section class="card fields locked">
        <p>
          This page is for administrators: it shows and affects all worlds. Its token is separate from the
          keys of worlds; it stays in this window, and goes with it.
        </p>
        {(tried || status === 403) && (
          <p class="wrong" role="alert">
            {status === 403 ? words : 'Invalid token.'}
          </p>
        )}
        <Form<{ token: string }>
          of={tokenSchema}
          fields={{ token: { label: 'Administrator token', input: { type: 'password' } } }}
          action="Open"
          needs="read"
          send={async ({ token }) => {
            keepToken(token)
            again()
          }}
        />
        <p class="soft">To set a token, start the sandbox with it:</p>
        <Block
          label="A start with a token"
          text="SANDBOX_ADMIN_TOKEN=$(openssl rand -hex 24) npx --no -- payments-sandbox start"
        />
      </section>
    </>
  )
}

interface FigureProps {
  readonly label: string
  readonly values: readonly number[]
  /** Formats a value with its unit. */
  readonly shown: (value: number) => string
  /** How long ago the first value was measured. */
  readonly since: string
}

const WIDE = 120
const HIGH = 30

/** The last value, and a chart from zero to the greatest one. */
export function Figure({ label, values, shown, since }: FigureProps) {
  const last = values.at(-1)
  const most = Math.max(...values)
  const step = WIDE / Math.max(1, values.length - 1)
  const points = values.map(
    (value, n) => `${(n * step).toFixed(1)},${(HIGH - (value / (most || 1)) * (HIGH - 1)).toFixed(1)}`,
  )
  return (
    <div class="card figure">
      <dt>{label}</dt>
      <dd class="num">{last === undefined ? '–' : shown(last)}</dd>
      {values.length > 1 && (
        <dd
          class="chart num"
          role="img"
          aria-label={`${label} in the last ${since}: from ${shown(Math.min(...values))} to ${shown(most)}`}
        >
          <span>{shown(most)}</span>
          <svg viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none">
            <polyline points={points.join(' ')} />
          </svg>
          <span>{shown(0)}</span>
          <span>{since} ago</span>
          <span>now</span>
        </dd>
      )}
    </div>
  )
}

/** Random delays and failures of all worlds, and defaults of new worlds. */
export const Disturbances = ({ now, changed }: { now: AdminSettings; changed: () => void }) => (
  <Form<AdminSettingsChange>
    of={schema}
    fields={{ chaos: { label: 'Random failures' } }}
    title="Delays and failures in all worlds"
    class="settings"
    action="Apply"
    needs="read"
    initial={now}
    isChange
    send={async (change) => {
      await askAdmin('PATCH', '/__admin/settings', change)
      changed()
      return 'Applies to new requests in all worlds.'
    }}
  />
)
