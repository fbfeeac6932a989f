import { signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Finding, Report } from '../../src/fidelity/differences.ts'
import { act, busy, say } from '../core/actions.ts'
import { counted } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { route } from '../core/route.ts'
import { session } from '../core/session.ts'
import type { Tone } from '../core/tone.ts'
import { Block, Button, Facts, Pill, Said } from '../parts/bits.tsx'
import { FilterField } from '../parts/list-page.tsx'
import { Empty } from '../parts/list-states.tsx'
import { type Column, Table } from '../parts/table.tsx'

const tones: Readonly<Record<Finding['severity'], Tone>> = {
  breaking: 'bad',
  surprising: 'wait',
  cosmetic: 'plain',
}

const columns: readonly Column<Finding>[] = [
  {
    title: 'Difference',
    is: 'main',
    cell: ({ kind, field }) => (
      <>
        {kind} <Said mono>{field}</Said>
      </>
    ),
  },
  { title: 'Operation', rank: 1, cell: ({ operation }) => <Said>{operation || 'every operation'}</Said> },
  { title: 'Place', rank: 4, cell: ({ place }) => <Said>{place}</Said> },
  { title: 'Sandbox', rank: 3, cell: ({ sandbox }) => <Said mono>{sandbox ?? '–'}</Said> },
  { title: 'Service', rank: 2, cell: ({ service }) => <Said mono>{service ?? '–'}</Said> },
  { title: 'Seen', rank: 5, right: true, cell: ({ seen, of }) => `${seen} of ${of}` },
  { title: 'Severity', is: 'state', cell: ({ severity }) => <Pill tone={tones[severity]}>{severity}</Pill> },
]

/** The chosen comparison stays when another page is opened. */
const chosen = signal<Report | undefined>(undefined)
/** The name of a chosen recording, which the command line compares. */
const recording = signal<string | undefined>(undefined)

/** How the real service differs: a comparison, and the overlay that is active in this world. */
export function Fidelity() {
  const { client, world } = session.value!
  const { value, again } = useValue(() => client.show(), [world], ['settings'])
  const field = useRef<HTMLInputElement>(null)
  const open = async (file: File | undefined) => {
    field.current!.value = ''
    if (!file) return
    const text = await file.text()
    const json = parsed(text)
    chosen.value = isReport(json) ? json : undefined
    recording.value = json?.['log'] || json?.['requests'] ? file.name : undefined
    if (chosen.value || recording.value) return
    if (/^\s*(\{|\[)/.test(text) && !json?.['evidence'])
      return say(`${file.name} is neither a comparison, a recording nor an overlay.`, true)
    await act(async () => {
      await client.configure({ observed: text })
      again()
      return `This world follows ${file.name}.`
    }, 'own')
  }
  return (
    <>
      <header class="head">
        <h1>Fidelity</h1>
        <div class="actions">
          <input
            ref={field}
            class="unseen"
            type="file"
            accept=".json,.har,.yaml,.yml"
            aria-label="A comparison, a recording or an overlay"
            tabIndex={-1}
            onChange={({ currentTarget }) => void open(currentTarget.files?.[0])}
          />
          <Button needs="read" kind="main" onClick={() => field.current!.click()}>
            Open a file…
          </Button>
        </div>
      </header>
      <Comparison />
      <Learned observed={value?.settings.observed ?? ''} again={again} />
    </>
  )
}

function Comparison() {
  const report = chosen.value
  const file = recording.value ?? 'session.har'
  if (!report)
    return (
      <section class="card" aria-label="Comparison">
        <Empty icon="search" title={recording.value ? 'Compare the recording' : 'No comparison opened'}>
          <p>
            The command line compares a recording of the real service with the sandbox. Open the report here,
            or the overlay to apply it to this world:
          </p>
          <Block
            label="Compare and learn"
            text={`npx --no -- payments-sandbox compare '${file.replaceAll("'", String.raw`'\''`)}' --json > report.json
npx --no -- payments-sandbox learn '${file.replaceAll("'", String.raw`'\''`)}' --out observed.yaml`}
          />
          <p>
            <a href="/docs/guides/record-and-compare" target="_blank" rel="noopener">
              Record and compare
            </a>
          </p>
        </Empty>
      </section>
    )
  const { severity } = route.value.query
  const found = report.differences.filter((each) => severity === undefined || each.severity === severity)
  const { assumed, confirmed, contradicted, not_seen } = report.provenance
  return (
    <>
      <section class="card" aria-label="Summary">
        <Facts
          of={[
            ['File', <Said>{report.file}</Said>],
            [
              'Compared',
              `${counted(report.requests, 'request')}, ${counted(report.callbacks, 'callback')}; ${report.skipped} skipped`,
            ],
            [
              'Assumed points',
              `${assumed}: ${confirmed} confirmed, ${contradicted} contradicted, ${not_seen} not seen`,
            ],
            ...report.notes.map((note) => ['Note', <Said>{note}</Said>] as const),
          ]}
        />
      </section>
      <section class="card list" aria-label="Differences">
        <header class="bar">
          <FilterField
            label="Severity"
            name="severity"
            values={{ breaking: 'Breaking', surprising: 'Surprising', cosmetic: 'Cosmetic' }}
          />
          <span class="count soft num">{counted(found.length, 'difference')}</span>
        </header>
        {found.length > 0 ? (
          <Table
            label="Differences by operation"
            items={found}
            columns={columns}
            keyOf={({ operation, place, field, kind, sandbox }) =>
              [operation, place, field, kind, sandbox].join(' ')
            }
          />
        ) : (
          <Empty icon="search" title="No differences" />
        )}
      </section>
    </>
  )
}

/** The observations of the overlay of this world. */
function Learned({ observed, again }: { observed: string; again: () => void }) {
  const overlay = parsed(observed)
  const remove = () =>
    act(async ({ client }) => {
      await client.configure({ observed: '' })
      again()
      return 'This world follows no overlay.'
    }, 'own')
  return (
    <section class="card" aria-label="Learned in this world">
      <header class="bar">
        <h2>Learned in this world</h2>
        {overlay && (
          <span class="actions">
            <Button needs="own" disabled={busy.value} onClick={() => void remove()}>
              Remove
            </Button>
          </span>
        )}
      </header>
      {overlay ? (
        <Facts
          of={[
            ['Observed', <Said>{String(overlay['observed'])}</Said>],
            ...observationsIn(overlay, '').map(
              ({ path, seen, change }) =>
                [
                  path,
                  <>
                    <Said mono>{change}</Said>{' '}
                    <span class="soft">seen {seen.toLocaleString('en')} times</span>
                  </>,
                ] as const,
            ),
          ]}
        />
      ) : (
        <p class="in-card soft">This world behaves as the description says, and follows no overlay.</p>
      )}
      <p class="in-card soft">
        <a href="/sandbox/provenance" target="_blank" rel="noopener">
          Documented, observed and assumed behaviour
        </a>
      </p>
    </section>
  )
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isReport = (value: unknown): value is Report =>
  isObject(value) && value['kind'] === 'comparison' && Array.isArray(value['differences'])

/** Every part of an overlay with a number of observations. */
function observationsIn(value: Json, path: string): { path: string; seen: number; change: string }[] {
  const { seen, ...change } = value
  if (typeof seen === 'number') return [{ path, seen, change: JSON.stringify(change) }]
  return Object.entries(value).flatMap(([name, each]) =>
    isObject(each) && name !== 'evidence'
      ? observationsIn(each, path === '' ? name : `${path} ${Array.isArray(value) ? Number(name) + 1 : name}`)
      : [],
  )
}
