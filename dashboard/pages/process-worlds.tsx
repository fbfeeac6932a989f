import { useEffect, useState } from 'preact/hooks'
import type { AdminWorld, AdminWorldList, ProcessList } from '../../src/generated/control/types.ts'
import { writeAddress } from '../core/address.ts'
import { askAdmin } from '../core/admin.ts'
import { wordsOf } from '../core/api.ts'
import { useCalm } from '../core/hooks.ts'
import { Button, Card, Pill, RealTime, Said } from '../parts/bits.tsx'
import { Empty, Loading } from '../parts/list-states.tsx'
import { useValue } from '../core/resource.ts'
import { session } from '../core/session.ts'

/** Worlds per page. */
const PAGE = 20

interface Found {
  readonly worlds: readonly AdminWorld[]
  readonly total: number
  readonly next: string | null
}

const read = async (prefix: string, after?: string): Promise<Found> => {
  const query = new URLSearchParams({
    limit: String(PAGE),
    ...(prefix && { prefix }),
    ...(after !== undefined && { after }),
  })
  const { worlds, total, next_after } = await askAdmin<AdminWorldList>('GET', `/__admin/worlds?${query}`)
  return { worlds, total, next: next_after }
}

/** All worlds, the most recently used first. */
export function AllWorlds() {
  const [prefix, setPrefix] = useState('')
  const [found, setFound] = useState<Found>()
  const [failed, setFailed] = useState('')
  const asked = useCalm(prefix, 250)
  const take = (reading: Promise<Found>, before: readonly AdminWorld[] = []) =>
    reading.then(
      (page) => {
        setFound({ ...page, worlds: [...before, ...page.worlds] })
        setFailed('')
      },
      (error: unknown) => setFailed(wordsOf(error)),
    )
  useEffect(() => {
    let current = true
    read(asked).then(
      (page) => current && setFound(page),
      (error: unknown) => current && setFailed(wordsOf(error)),
    )
    return () => {
      current = false
    }
  }, [asked])
  return (
    <Card
      title="All worlds"
      beside={found && <span class="soft">{found.total.toLocaleString('en')}</span>}
      actions={
        <input
          type="search"
          aria-label="Filter by name prefix"
          placeholder="Name begins with"
          value={prefix}
          onInput={({ currentTarget }) => setPrefix(currentTarget.value)}
        />
      }
    >
      {failed && <p class="in-card wrong">{failed}</p>}
      {!found ? (
        !failed && <Loading />
      ) : found.worlds.length === 0 ? (
        <Empty icon="search" title="No worlds match">
          <Button needs="read" onClick={() => setPrefix('')}>
            Show all
          </Button>
        </Empty>
      ) : (
        <ul class="plain-list">
          {found.worlds.map((world) => (
            <li key={world.name} class="line">
              <a href={writeAddress({ world: world.name, page: 'home' })}>
                <Said>{world.name}</Said>
              </a>
              <span class="soft">
                called <RealTime at={world.last_used_at} none="never" />, goes{' '}
                <RealTime at={world.expires_at} none="never" />, {kilobytes(world.bytes)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {found && found.next !== null && (
        <p class="in-card">
          <Button needs="read" onClick={() => void take(read(asked, found.next!), found.worlds)}>
            Show more
          </Button>
        </p>
      )}
    </Card>
  )
}

const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1_024).toLocaleString('en')} KiB`

/** The processes of the sandbox and their differing settings. */
export function Processes({ at }: { at: number }) {
  const [list, setList] = useState<ProcessList>()
  const [failed, setFailed] = useState('')
  useEffect(() => {
    let current = true
    askAdmin<ProcessList>('GET', '/__admin/processes').then(
      (found) => {
        if (!current) return
        setList(found)
        setFailed('')
      },
      (error: unknown) => current && setFailed(wordsOf(error)),
    )
    return () => {
      current = false
    }
  }, [at])
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

/** The world's limits in this process and their usage. */
export function Limits() {
  const { client, world } = session.value!
  const { value, error } = useValue(() => client.show(), [world])
  return (
    <section class="card" aria-label="Limits of a world">
      <header class="bar">
        <h2>
          Limits of <Said>{world}</Said>
        </h2>
      </header>
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
    </section>
  )
}

function amount(value: number, unit: string): string {
  if (unit !== 'bytes')
    return `${value.toLocaleString('en')}${unit === 'per_minute' ? ' a minute' : unit === 'per_day' ? ' a day' : ''}`
  if (value < 1_024) return `${value} B`
  return value < 1_048_576 ? `${Math.round(value / 1_024)} KiB` : `${Math.round(value / 1_048_576)} MiB`
}
