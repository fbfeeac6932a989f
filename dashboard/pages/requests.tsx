import type { RequestList } from '../../src/generated/control/types.ts'
import { act, download } from '../core/actions.ts'
import { useList, useValue } from '../core/resource.ts'
import { hrefOf, route, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { type RequestRow, requestResource, requests } from '../core/store.ts'
import { Block, Button, Code, Said, TimeOfDay } from '../parts/bits.tsx'
import { OneGroup } from '../parts/callbacks.tsx'
import { curlUser } from '../parts/curl.tsx'
import { ListPage, useSearch } from '../parts/list-page.tsx'
import { Empty, atNeed } from '../parts/list-states.tsx'
import type { Column } from '../parts/table.tsx'

const RequestDetail = atNeed(async () => (await import('./request-detail.tsx')).RequestDetail)

const statuses = { taken: 'Accepted', refused: 'Rejected', broken: '5xx' }
/** The values of the sandbox's filter. */
const results: { readonly [status: string]: string } = {
  taken: 'accepted',
  refused: 'rejected',
  broken: 'failed',
}

const hrefTo = ({ id }: RequestRow) => hrefOf('requests', id, route.value.query)

const columns: readonly Column<RequestRow>[] = [
  { title: 'Time', is: 'time', cell: ({ at }) => <TimeOfDay at={at} /> },
  {
    title: 'Request',
    is: 'main',
    cell: (row) => (
      <a class="mono" href={hrefTo(row)}>
        {row.method} <Said>{row.path}</Said>
      </a>
    ),
  },
  {
    title: 'Operation',
    rank: 1,
    cell: ({ error, operation }) => (
      <span class={error ? '' : 'soft'}>
        <Said>{error || operation}</Said>
      </span>
    ),
  },
  {
    title: 'Took',
    rank: 2,
    right: true,
    cell: ({ duration_ms }) => <span class="num soft">{duration_ms} ms</span>,
  },
  { title: 'Status', is: 'state', cell: ({ status }) => <Code status={status} /> },
]

export function Requests() {
  const { status, operation, group } = route.value.query
  const { transport, world } = session.value!
  const list = useList(requestResource, {
    search: useSearch(),
    operation,
    group,
    result: status && results[status],
  })
  const { value } = useValue(
    () => transport.ask<RequestList>('GET', '/sandbox/requests', { query: { limit: 1 } }),
    [world],
    ['request'],
  )
  return (
    <ListPage
      title="Requests"
      noun="request"
      list={list}
      columns={columns}
      href={hrefTo}
      date={({ at }) => at}
      above={group && <OneGroup what="requests" />}
      chosen={thing.value}
      filters={[
        { label: 'Statuses', name: 'status', values: statuses },
        { label: 'Operation', name: 'operation', values: operationsOf(operation), all: 'every operation' },
      ]}
      search={{ label: 'Search in paths, headers, bodies and responses', placeholder: 'Anything in them' }}
      total={value?.total}
      detail={<RequestDetail id={thing.value ?? ''} />}
      empty={<NoRequest />}
      actions={
        <Button needs="read" onClick={() => void saveHar()}>
          HAR
        </Button>
      }
    />
  )
}

function operationsOf(chosen: string | undefined) {
  const called = requests.items.value.flatMap((row) => row.operation ?? [])
  const all = [...new Set([...called, ...(chosen ? [chosen] : [])])].sort()
  return Object.fromEntries(all.map((name) => [name, name]))
}

const saveHar = () =>
  act(async ({ client, world }) => {
    download(`${world}.har`, JSON.stringify(await client.requests.har(), null, 2), 'application/json')
    return 'The requests are saved as HAR.'
  }, 'read')

const NoRequest = () => (
  <Empty icon="requests" title="No request yet">
    <p>Point your program's base URL here, with the key of this world:</p>
    <Block label="Base URL" text={settings.origin} />
    <Block
      label="A first request"
      text={`curl -u ${curlUser()} ${settings.origin}/api/v2/payment_channels`}
    />
  </Empty>
)
