import { useEffect, useState } from 'preact/hooks'
import type { AdminWorld, AdminWorldList, ProcessList } from '../../src/generated/control/types.ts'
import { writeAddress } from '../core/address.ts'
import { askAdmin } from '../core/admin.ts'
import { wordsOf } from '../core/api.ts'
import { useCalm } from '../core/use-calm.ts'
import { Button, Card, Pill, Said, RealTime } from '../parts/bits.tsx'
import { Empty, Loading } from '../parts/list-states.tsx'

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
