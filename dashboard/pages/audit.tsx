import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { AuditEntry } from '../../src/client/types.ts'
import type { AuditPage } from '../../src/generated/control/types.ts'
import { askAdmin } from '../core/admin.ts'
import { SandboxError } from '../core/api.ts'
import { endOf, laidOut } from '../core/format.ts'
import { curlUser } from '../core/here.ts'
import { listOf } from '../core/list.ts'
import { curlOf } from '../core/payment.ts'
import { go, hrefOf, route, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { changes } from '../core/store.ts'
import { useCalm } from '../core/use-calm.ts'
import { Block, Button, Code, Facts, Said } from '../parts/bits.tsx'
import { FilterChips } from '../parts/filter-chips.tsx'
import { Empty, Loading, NotThere } from '../parts/list-states.tsx'
import { Rows, type Column } from '../parts/rows.tsx'
import { Split } from '../parts/split.tsx'

/** The filters of the request. */
const wanted = signal<{ readonly actor?: string | undefined; readonly operation?: string | undefined }>({})
/** Whether all worlds are included, which requires the administrator token. */
const whole = signal(false)

/** Without the token, the request fails instead of prompting for the world's key. */
const asAdmin = async (query: object): Promise<AuditPage> => {
  const text = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
  try {
    return await askAdmin<AuditPage>('GET', `/__admin/audit?${text}`)
  } catch (error) {
    if (error instanceof SandboxError && error.status === 401)
      throw new Error('Administrators only: enter the token on the Process page', { cause: error })
    throw error
  }
}

const entries = listOf<AuditEntry>({
  async page(before) {
    const query = { ...wanted.peek(), limit: 100, before }
    const { transport } = session.peek()!
    const found = whole.peek()
      ? await asAdmin(query)
      : await transport.ask<AuditPage>('GET', '/sandbox/audit', { query })
    return { items: found.entries, next: found.next_before }
  },
  order: ({ id }) => id,
})

const words: { readonly [operation: string]: string } = {
  createApiKey: 'Key created',
  revokeApiKey: 'Key revoked',
  rotateSigningSecret: 'Signing secret rotated',
  verifyCallbackTarget: 'Callback target verified',
  updateWorld: 'Settings changed',
  resetWorld: 'World reset',
  createWorld: 'World created',
  deleteWorld: 'World deleted',
  importWorld: 'World imported',
  createSnapshot: 'Snapshot taken',
  restoreSnapshot: 'Snapshot restored',
  deleteSnapshot: 'Snapshot deleted',
  clearRequests: 'Requests cleared',
  clearOutbox: 'Mailbox cleared',
  deleteMail: 'Mail deleted',
  adminReset: 'All worlds reset',
  adminUpdateSettings: 'Process settings changed',
  adminClearRequests: 'All requests cleared',
  adminResetScenarios: 'All scenarios reset',
  adminSetScenarioState: 'Scenario step set',
  adminShutdown: 'Process ended',
}

const kinds = {
  createApiKey: 'Keys created',
  revokeApiKey: 'Keys revoked',
  updateWorld: 'Settings',
  resetWorld: 'Resets',
}

const whatOf = ({ operation }: AuditEntry) => words[operation] ?? operation

const whoOf = ({ actor: { kind, name, username } }: AuditEntry) =>
  name ?? username ?? (kind === 'admin' ? 'an administrator' : 'no token')

const hrefTo = ({ id }: AuditEntry) => hrefOf('audit', id, route.value.query)

const When = ({ at }: { at: string }) => (
  <time class="num" dateTime={at} title={`${at}(real time)`}>
    {endOf(at)}
  </time>
)

const columns: readonly Column<AuditEntry>[] = [
  {
    title: 'What',
    cell: (entry) => (
      <span class="stack">
        <span class="one-line">
          <a href={hrefTo(entry)}>{whatOf(entry)}</a> <Said>{entry.subject}</Said>
        </span>
        <span class="below one-line">
          <When at={entry.at} /> <Said>{whoOf(entry)}</Said>
        </span>
      </span>
    ),
  },
  { title: 'Who', wide: true, width: '26%', cell: (entry) => <Said>{whoOf(entry)}</Said> },
  { title: 'When', wide: true, width: '8.5rem', cell: ({ at }) => <When at={at} /> },
  { title: 'Answer', width: '5rem', right: true, cell: ({ status }) => <Code status={status} /> },
]

/** Actions of administrators and owners. */
export function Audit() {
  const { world } = session.value!
  const { query } = route.value
  const actor = useCalm(query['actor'], 250) || undefined
  const { operation } = query
  const all = query['of'] === 'all'
  const news = useCalm(changes.value['reset'])
  useEffect(() => {
    wanted.value = { actor, operation }
    whole.value = all
    entries.clear()
    void entries.load()
  }, [world, actor, operation, all, news])
  const filtered = actor !== undefined || operation !== undefined
  return (
    <Split
      title="Audit"
      detail={<Detail id={Number(thing.value)} />}
      list={
        <>
          <header class="head">
            <h1>Audit</h1>
            <div class="actions">
              <input
                type="search"
                aria-label="Filter by person"
                placeholder="Name or username"
                value={query['actor'] ?? ''}
                onInput={({ currentTarget: { value } }) => {
                  const { actor: _before, ...others } = query
                  go(hrefOf('audit', thing.value, value ? { ...others, actor: value } : others), {
                    replace: true,
                  })
                }}
              />
              <Button needs="own" onClick={() => void entries.load()}>
                Refresh
              </Button>
            </div>
          </header>
          <section class="card" aria-label="Audit">
            <header class="bar">
              <FilterChips label="What" name="operation" values={kinds} />
              <Scope all={all} />
            </header>
            {entries.items.value.length > 0 ? (
              <Rows
                label="Audit log, newest first"
                items={entries.items.value}
                columns={columns}
                keyOf={({ id }) => id}
                href={hrefTo}
                chosen={thing.value}
                older={entries.more.value ? () => void entries.older() : undefined}
              />
            ) : entries.state.value !== 'there' ? (
              <NotThere
                state={entries.state.value}
                error={entries.error.value}
                retry={() => void entries.load()}
              />
            ) : filtered ? (
              <Empty icon="search" title="No entries match">
                <Button needs="read" onClick={() => go(hrefOf('audit', undefined, all ? { of: 'all' } : {}))}>
                  Clear filters
                </Button>
              </Empty>
            ) : (
              <Nothing />
            )}
          </section>
        </>
      }
    />
  )
}

/** Switches between this world and all worlds. */
function Scope({ all }: { all: boolean }) {
  const { of: _before, ...others } = route.value.query
  return (
    <nav class="chips actions" aria-label="Of what">
      <a class="chip" href={hrefOf('audit', undefined, others)} aria-current={all ? undefined : 'true'}>
        This world
      </a>
      <a
        class="chip"
        href={hrefOf('audit', undefined, { ...others, of: 'all' })}
        aria-current={all ? 'true' : undefined}
      >
        All worlds
      </a>
    </nav>
  )
}

const Nothing = () => (
  <Empty icon="audit" title="Nothing was changed yet">
    <p>
      Keys, settings, secrets, snapshots, resets and imports leave an entry each, with who did it; payments do
      not. Take a snapshot, and it is here:
    </p>
    <Block
      label="A snapshot by curl"
      text={curlOf(settings.origin, curlUser(), '/sandbox/snapshots', { name: 'before the change' })}
    />
  </Empty>
)

function Detail({ id }: { id: number }) {
  const entry = entries.items.value.find((each) => each.id === id)
  if (!entry)
    return entries.state.value === 'there' ? (
      <Empty icon="search" title={`Entry ${id} not found`}>
        <p>It may be older than the list, belong to another world, or have been dropped.</p>
      </Empty>
    ) : (
      <Loading />
    )
  const { at, operation, world, actor, status, subject, requested, request_id } = entry
  return (
    <article class="card">
      <header class="bar">
        <h2>{whatOf(entry)}</h2>
        <Code status={status} />
      </header>
      <Facts
        of={[
          ['Who', <Said>{whoOf(entry)}</Said>],
          ...(actor.username === null ? [] : [['Username', <Said>{actor.username}</Said>] as const]),
          ...(actor.role === null ? [] : [['Role', actor.role] as const]),
          ...(actor.address === null ? [] : [['From', <span class="mono">{actor.address}</span>] as const]),
          ['When', <When at={at} />],
          ['Operation', <code>{operation}</code>],
          ...(subject === null ? [] : [['About', <Said>{subject}</Said>] as const]),
          ['World', world === null ? 'all of them' : <Said>{world}</Said>],
          ['Request', <span class="mono">{request_id}</span>],
        ]}
      />
      {Object.keys(requested).length > 0 && (
        <section class="part">
          <h3>Request</h3>
          <Block label="Request" text={laidOut(requested)} />
        </section>
      )}
    </article>
  )
}
