import { useState } from 'preact/hooks'
import type { World } from '../../src/generated/control/types.ts'
import { mayOwn } from '../core/access.ts'
import { writeAddress } from '../core/address.ts'
import { counted } from '../core/format.ts'
import { resource, useList } from '../core/resource.ts'
import { session } from '../core/session.ts'
import { useCalm } from '../core/use-calm.ts'
import { Button } from '../parts/bits.tsx'
import { Empty } from '../parts/list-states.tsx'
import { ListCard } from '../parts/list-page.tsx'
import { type Column, nameColumn } from '../parts/table.tsx'

const worlds = resource<World>({
  path: '/sandbox/worlds',
  rows: 'worlds',
  order: ({ number }) => number,
  events: ['settings'],
})

const hrefTo = ({ id }: World) => writeAddress({ world: id, page: 'home' })

const columns: readonly Column<World>[] = [
  nameColumn('World', hrefTo, (world) => (world.name ? `${world.name} (${world.id})` : world.id)),
  { title: 'Clock', rank: 1, cell: ({ clock }) => clock.speed === 0 && <span class="soft">frozen</span> },
  {
    title: 'Payments',
    is: 'amount',
    cell: ({ transactions }) => <span class="soft">{counted(transactions, 'payment')}</span>,
  },
]

/** All worlds of the key, newest first. */
export const OtherWorlds = () => (mayOwn.value ? <Worlds /> : null)

function Worlds() {
  const [search, setSearch] = useState('')
  const list = useList(worlds, { search: useCalm(search, 250) })
  return (
    <ListCard
      title="All worlds of this key"
      noun="world"
      list={list}
      columns={columns}
      href={hrefTo}
      chosen={session.value!.world}
      tools={
        <>
          <h2>All worlds of this key</h2>
          <input
            class="name"
            type="search"
            aria-label="Find a world"
            placeholder="Name or id"
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        </>
      }
      empty={
        <Empty icon="search" title="No worlds match">
          <Button needs="read" onClick={() => setSearch('')}>
            Show all
          </Button>
        </Empty>
      }
    />
  )
}
