import type { AuditEntry } from '../../src/client/types.ts'
import type { AuditPage } from '../../src/generated/control/types.ts'
import { askAdmin } from '../core/admin.ts'
import { SandboxError } from '../core/api.ts'
import { laidOut } from '../core/format.ts'
import { type List, type Resource, useList } from '../core/resource.ts'
import { hrefOf, route, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Article, Block, Button, Code, Facts, RealTime, Said, TimeOfDay } from '../parts/bits.tsx'
import { Curl } from '../parts/curl.tsx'
import { Empty, Missing } from '../parts/list-states.tsx'
import { ListPage, useSearch } from '../parts/list-page.tsx'
import type { Column } from '../parts/table.tsx'

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

/** Entries of this world, or with the administrator token of all worlds. */
const entries: Resource<AuditEntry> = {
  async page({ of, ...filter }, before) {
    const query = { ...filter, limit: 100, ...(before !== null && { before }) }
    const { transport } = session.peek()!
    const found = of
      ? await asAdmin(query)
      : await transport.ask<AuditPage>('GET', '/sandbox/audit', { query })
    return { items: found.entries, next: found.next_before }
  },
  order: ({ id }) => id,
  events: ['settings', 'snapshot', 'reset'],
}

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

const whatOf = ({ operation }: AuditEntry) => words[operation] ?? operation

const whoOf = ({ actor: { kind, name, username } }: AuditEntry) =>
  name ?? username ?? (kind === 'admin' ? 'an administrator' : 'no token')

const hrefTo = ({ id }: AuditEntry) => hrefOf('audit', id, route.value.query)

const filters = [
  { label: 'Operation', name: 'operation', values: words, all: 'every change' },
  { label: 'Worlds', name: 'of', values: { all: 'all worlds' }, all: 'this world' },
]

const columns: readonly Column<AuditEntry>[] = [
  { title: 'Time', is: 'time', cell: ({ at }) => <TimeOfDay at={at} /> },
  {
    title: 'Change',
    is: 'main',
    cell: (entry) => (
      <>
        <a href={hrefTo(entry)}>{whatOf(entry)}</a> <Said>{entry.subject}</Said>
      </>
    ),
  },
  { title: 'Who', rank: 1, cell: (entry) => <Said>{whoOf(entry)}</Said> },
  { title: 'Response', is: 'state', cell: ({ status }) => <Code status={status} /> },
]

export function Audit() {
  const { operation, of } = route.value.query
  const list = useList(entries, { actor: useSearch(), operation, of })
  return (
    <ListPage
      title="Audit"
      noun="entry"
      nouns="entries"
      list={list}
      columns={columns}
      href={hrefTo}
      date={({ at }) => at}
      chosen={thing.value}
      filters={filters}
      search={{ label: 'Filter by person', placeholder: 'Name or username' }}
      detail={<Detail id={Number(thing.value)} list={list} />}
      empty={<Nothing />}
      actions={
        <Button needs="own" onClick={() => void list.load()}>
          Refresh
        </Button>
      }
    />
  )
}

const Nothing = () => (
  <Empty icon="audit" title="Nothing was changed yet">
    <p>
      Keys, settings, secrets, snapshots, resets and imports leave an entry each, with who did it; payments do
      not. Take a snapshot, and it is here:
    </p>
    <Curl label="A snapshot by curl" path="/sandbox/snapshots" body={{ name: 'before the change' }} />
  </Empty>
)

function Detail({ id, list }: { id: number; list: List<AuditEntry> }) {
  const entry = list.items.value.find((each) => each.id === id)
  if (!entry)
    return (
      <Missing
        title={`Entry ${id} not found`}
        words="It may be older than the list, belong to another world, or have been dropped."
        loading={list.state.value !== 'there'}
      />
    )
  const { at, operation, world, actor, status, subject, requested, request_id } = entry
  return (
    <Article title={whatOf(entry)} beside={<Code status={status} />}>
      <Facts
        of={[
          ['Who', <Said>{whoOf(entry)}</Said>],
          ['Username', actor.username !== null && <Said>{actor.username}</Said>],
          ['Role', actor.role !== null && actor.role],
          ['From', actor.address !== null && <span class="mono">{actor.address}</span>],
          ['When', <RealTime at={at} />],
          ['Operation', <code>{operation}</code>],
          ['About', subject !== null && <Said>{subject}</Said>],
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
    </Article>
  )
}
