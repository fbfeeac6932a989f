import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { FidelityFinding, FidelityOverlay, FidelityReport } from '../../src/generated/control/types.ts'
import { act, say } from '../core/actions.ts'
import { counted } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { route } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import type { Tone } from '../core/names.ts'
import { Block, Button, Card, Facts, Pill, Said } from '../parts/bits.tsx'
import { FilterField } from '../parts/list-page.tsx'
import { Empty } from '../parts/list-states.tsx'
import { type Column, Table } from '../parts/table.tsx'

const tones: Readonly<Record<FidelityFinding['severity'], Tone>> = {
  breaking: 'bad',
  surprising: 'wait',
  cosmetic: 'plain',
}

const columns: readonly Column<FidelityFinding>[] = [
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
const chosen = signal<FidelityReport | undefined>(undefined)
/** The recording that was compared here. */
const recording = signal<File | undefined>(undefined)
const learned = signal<FidelityOverlay | undefined>(undefined)
const LARGEST = 16 * 1024 * 1024

/** Compares the recording with this world in the sandbox. @param learn - Whether to write an overlay as well. */
const compare = (file: File, learn = false) =>
  act(async ({ transport }) => {
    say(`Comparing ${file.name}…`)
    const compared = await transport
      .callAs('compareRecording', {
        text: await file.text(),
        headers: { 'content-type': 'application/json' },
        query: { file: file.name, learn },
      })
      .catch((error: Error) => {
        error.message = error.message.replace(/\brecording(?=:\d|: )/, file.name)
        throw error
      })
    recording.value = file
    learned.value = compared.learned ?? undefined
    if (!learn) chosen.value = compared.report
    return learn
      ? `${counted(compared.learned!.differences, 'difference')} in the overlay.`
      : `Compared ${file.name}: ${counted(compared.report.differences.length, 'difference')}.`
  })

const follow = (text: string, name: string, again: () => void) =>
  act(async ({ client }) => {
    await client.configure({ observed: text })
    again()
    return `This world follows ${name}.`
  }, 'own')

/** How the real service differs: a comparison, and the overlay that is active in this world. */
export function Fidelity() {
  const { client, world } = session.value!
  const { value, again } = useValue(() => client.show(), [world], ['settings'])
  const field = useRef<HTMLInputElement>(null)
  const open = async (file: File | undefined) => {
    if (!file) return
    if (file.size > LARGEST)
      return say(
        `${file.name} has ${Math.ceil(file.size / 1_048_576)} MiB, and 16 are the most: compare it with payments-sandbox compare.`,
        true,
      )
    const text = await file.text()
    const json = parsed(text)
    if (isReport(json)) {
      chosen.value = json
      recording.value = learned.value = undefined
    } else if (/^\s*\{/.test(text) && !json?.['evidence']) await compare(file)
    else await follow(text, file.name, again)
  }
  useEffect(() => {
    const allow = (event: DragEvent) => event.preventDefault()
    const drop = (event: DragEvent) => {
      event.preventDefault()
      void open(event.dataTransfer?.files[0])
    }
    document.addEventListener('dragover', allow)
    document.addEventListener('drop', drop)
    return () => {
      document.removeEventListener('dragover', allow)
      document.removeEventListener('drop', drop)
    }
  })
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
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? []
              currentTarget.value = ''
              void open(file)
            }}
          />
          <Button needs="read" kind="main" onClick={() => field.current!.click()}>
            Open a file…
          </Button>
        </div>
      </header>
      <Comparison again={again} />
      <Learned observed={value?.settings.observed ?? ''} again={again} />
    </>
  )
}

function Comparison({ again }: { again: () => void }) {
  const report = chosen.value
  const file = recording.value
  if (!report)
    return (
      <section class="card" aria-label="Comparison">
        <Empty icon="search" title="No recording compared">
          <p>
            Record the traffic of your integration with the real service. Then drop the recording here, or
            open it, and the sandbox lists the differences. A report and an overlay can be opened as well.
          </p>
          <Block
            label="Record"
            text="npx --no -- payments-sandbox record --service https://api.example --out session.har"
          />
          <p>
            <a href={`${settings.at}/docs/guides/record-and-compare`} target="_blank" rel="noopener">
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
          {file && report.differences.length > 0 && (
            <Button needs="change" onClick={() => void compare(file, true)}>
              Learn
            </Button>
          )}
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
      {learned.value && <Overlay of={learned.value} again={again} />}
    </>
  )
}

function Overlay({ of: { overlay, not_expressed }, again }: { of: FidelityOverlay; again: () => void }) {
  const apply = async () => {
    if (!(await follow(overlay, 'the overlay', again))) return
    if (recording.value) await compare(recording.value)
  }
  return (
    <Card
      title="Overlay"
      actions={
        <Button needs="own" kind="main" onClick={() => void apply()}>
          Apply to this world
        </Button>
      }
    >
      {not_expressed.map((each) => (
        <p class="in-card">
          Not expressed: <Said>{each}</Said>
        </p>
      ))}
      <Block label="observed.yaml" text={overlay} />
    </Card>
  )
}

function Learned({ observed, again }: { observed: string; again: () => void }) {
  const overlay = parsed(observed)
  const remove = () =>
    act(async ({ client }) => {
      await client.configure({ observed: '' })
      again()
      return 'This world follows no overlay.'
    }, 'own')
  return (
    <Card
      title="Learned in this world"
      actions={
        overlay && (
          <Button needs="own" onClick={() => void remove()}>
            Remove
          </Button>
        )
      }
    >
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
        <a href={`${settings.at}/sandbox/provenance`} target="_blank" rel="noopener">
          Documented, observed and assumed behaviour
        </a>
      </p>
    </Card>
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

const isReport = (value: unknown): value is FidelityReport =>
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
