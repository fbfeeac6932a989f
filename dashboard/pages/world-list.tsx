import { useState } from 'preact/hooks'
import type { World, WorldList } from '../../src/generated/control/types.ts'
import { mayOwn } from '../core/access.ts'
import { writeAddress } from '../core/address.ts'
import { wordsOf } from '../core/api.ts'
import { counted } from '../core/format.ts'
import { session } from '../core/session.ts'
import { changes } from '../core/store.ts'
import { useRead } from '../core/use-read.ts'
import { Button, Said } from '../parts/bits.tsx'
import { Empty } from '../parts/list-states.tsx'

const PAGE = 50

/** All worlds of the key, newest first. */
export function OtherWorlds() {
  const { transport, world } = session.value!
  const [search, setSearch] = useState('')
  const [older, setOlder] = useState<{ of: string; worlds: readonly World[]; next: number | null }>()
  const [failed, setFailed] = useState('')
  const page = (before?: number) =>
    transport.ask<WorldList>('GET', '/sandbox/worlds', {
      query: { limit: PAGE, search: search || undefined, before },
    })
  const { value, error } = useRead(
    async () => (mayOwn.peek() ? page() : undefined),
    [world],
    [search, changes.value['settings'], changes.value['reset']],
  )
  if (!mayOwn.value || error || !value) return null
  const more = older?.of === search ? older : undefined
  const next = more ? more.next : value.next_before
  const worlds = [...(more?.worlds ?? []), ...value.worlds].toSorted((a, b) => b.number - a.number)
  const readOn = async () => {
    try {
      const found = await page(next!)
      setOlder({ of: search, worlds: [...(more?.worlds ?? []), ...found.worlds], next: found.next_before })
      setFailed('')
    } catch (failure) {
      setFailed(wordsOf(failure))
    }
  }
  return (
    <section class="card" aria-label="All worlds of this key">
      <header class="bar">
        <h2>All worlds of this key</h2>
        <span class="soft">{value.total.toLocaleString('en')}</span>
        <span class="actions">
          <input
            type="search"
            aria-label="Find a world"
            placeholder="Name or id"
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        </span>
      </header>
      {worlds.length === 0 ? (
        <Empty icon="search" title="No worlds match">
          <Button needs="read" onClick={() => setSearch('')}>
            Show all
          </Button>
        </Empty>
      ) : (
        <ul class="plain-list">
          {worlds.map(({ id, name, transactions, clock }) => (
            <li key={id} class="line">
              <a
                href={writeAddress({ world: id, page: 'live' })}
                aria-current={id === world ? 'true' : undefined}
              >
                <Said>{name ? `${name} (${id})` : id}</Said>
              </a>
              <span class="soft">
                {counted(transactions, 'transaction')}
                {clock.speed === 0 && ', frozen'}
              </span>
            </li>
          ))}
        </ul>
      )}
      {failed && <p class="in-card wrong">{failed}</p>}
      {next !== null && (
        <p class="in-card">
          <Button needs="own" onClick={() => void readOn()}>
            Older
          </Button>
        </p>
      )}
    </section>
  )
}
