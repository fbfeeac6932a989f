import { useEffect } from 'preact/hooks'
import type { AdminWorld, AdminWorldList, ProcessList } from '../../src/generated/control/types.ts'
import { writeAddress } from '../core/address.ts'
import { askAdmin } from '../core/admin.ts'
import { type Resource, useList, useValue } from '../core/resource.ts'
import { route } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Card, Pill, RealTime, Said } from '../parts/bits.tsx'
import { ListCard, setQuery, useSearch } from '../parts/list-page.tsx'
import { Loading } from '../parts/list-states.tsx'
import { type Column, nameColumn } from '../parts/table.tsx'

const worlds: Resource<AdminWorld> = {
  async page({ prefix }, after) {
    const query = new URLSearchParams({
      limit: '20',
      ...(prefix !== undefined && { prefix: String(prefix) }),
      ...(after !== null && { after: String(after) }),
    })
    const found = await askAdmin<AdminWorldList>('GET', `/__admin/worlds?${query}`)
    return { items: found.worlds, next: found.next_after }
  },
  events: [],
}

const hrefTo = ({ name }: AdminWorld) => writeAddress({ world: name, page: 'home' })

const columns: readonly Column<AdminWorld>[] = [
  nameColumn('World', hrefTo, ({ name }) => name),
  { title: 'Called', rank: 2, cell: ({ last_used_at }) => <RealTime at={last_used_at} none="never" /> },
  { title: 'Goes', rank: 1, cell: ({ expires_at }) => <RealTime at={expires_at} none="never" /> },
  {
    title: 'Bytes',
    is: 'amount',
    cell: ({ bytes }) => `${Math.ceil(bytes / 1_024).toLocaleString('en')} KiB`,
  },
]

/** All worlds, the most recently used first. */
export const AllWorlds = () => (
  <ListCard
    title="All worlds"
    noun="world"
    order="last used first"
    list={useList(worlds, { prefix: useSearch() })}
    columns={columns}
    keyOf={({ name }) => name}
    href={hrefTo}
    tools={
      <>
        <h2>All worlds</h2>
        <input
          class="name"
          type="search"
          aria-label="Filter by name prefix"
          placeholder="Name begins with"
          value={route.value.query['text'] ?? ''}
          onInput={({ currentTarget: { value } }) => setQuery('text', value)}
        />
      </>
    }
    empty={<Loading />}
  />
)

export function Processes({ at }: { at: number }) {
  const {
    value: list,
    error: failed,
    again,
  } = useValue(() => askAdmin<ProcessList>('GET', '/__admin/processes'), [])
  useEffect(again, [at])
  return (
    <Card title="Processes" beside={list && <span class="soft">{list.processes.length}</span>}>
      {failed && <p class="in-card wrong">{failed}</p>}
      {!list ? (
        !failed && <Loading />
      ) : (
        <ul class="plain-list">
          {list.processes.map(({ name, version, current: answers, started_at, differences }) => (
            <li key={`${name} ${started_at}`} class="line">
              <span class="row">
                <Said>{name}</Said>
                {answers && <Pill tone="good">this one</Pill>}
                {differences.length > 0 && <Pill tone="bad">differs</Pill>}
              </span>
              <span class="soft">
                {differences.length > 0 && <Said>{`${differences.join(', ')}; `}</Said>}
                {version}, since <RealTime at={started_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

export function Limits() {
  const { client, world } = session.value!
  const { value, error } = useValue(() => client.show(), [world])
  return (
    <Card
      title={`Limits of ${world}`}
      label="Limits of a world"
      beside={value?.plan && <span class="soft">plan {value.plan}</span>}
    >
      {error ? (
        <p class="in-card wrong">{error}</p>
      ) : !value ? (
        <Loading />
      ) : (
        <ul class="plain-list limits-list">
          {(value.budget ?? []).map(({ name, unit, used, limit, setting }) => (
            <li key={name}>
              <span class="line">
                <span title={setting}>{name.replaceAll('_', ' ')}</span>
                <span class="soft num">
                  {amount(used, unit)} of {limit === null ? 'unlimited' : amount(limit, unit)}
                </span>
              </span>
              {limit !== null && limit > 0 && (
                <meter
                  min={0}
                  max={limit}
                  high={limit * 0.8}
                  value={Math.min(used, limit)}
                  aria-label={`${name.replaceAll('_', ' ')} used`}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function amount(value: number, unit: string): string {
  if (unit !== 'bytes')
    return `${value.toLocaleString('en')}${unit === 'per_minute' ? ' a minute' : unit === 'per_day' ? ' a day' : ''}`
  if (value < 1_024) return `${value} B`
  return value < 1_048_576 ? `${Math.round(value / 1_024)} KiB` : `${Math.round(value / 1_048_576)} MiB`
}
