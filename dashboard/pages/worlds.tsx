import type { Snapshot } from '../../src/client/types.ts'
import type { World, WorldExport } from '../../src/generated/control/types.ts'
import { mayOwn } from '../core/access.ts'
import { act, destroy, say, undoable, download } from '../core/actions.ts'
import { writeAddress } from '../core/address.ts'
import { dialog } from '../core/dialogs.ts'
import { counted } from '../core/format.ts'
import { useCalm } from '../core/hooks.ts'
import { resource, useList, useValue } from '../core/resource.ts'
import { go } from '../core/route.ts'
import { goToRoot, rootOf, session } from '../core/session.ts'
import { tellGone } from '../core/store.ts'
import { Button, Card, Facts, Said, Time } from '../parts/bits.tsx'
import { Confirm, ConfirmButton } from '../parts/dialog.tsx'
import { TextForm } from '../parts/form.tsx'
import { ListCard } from '../parts/list-page.tsx'
import { Empty, NotThere, atNeed } from '../parts/list-states.tsx'
import { type Column, nameColumn } from '../parts/table.tsx'
import { MakeWorld } from './world-forms.tsx'
import { useRef, useState } from 'preact/hooks'

const WorldSettings = atNeed(async () => (await import('./world-forms.tsx')).WorldSettings)

export function Worlds() {
  const { client, world } = session.value!
  const { value, error, again } = useValue(() => client.show(), [world], ['settings'])
  const [making, setMaking] = useState(false)
  if (!value) return <NotThere state={error ? 'failed' : 'loading'} error={error} retry={again} />
  return (
    <>
      <header class="head">
        <h1>Worlds</h1>
        <div class="actions">
          <Button needs="read" keys="w" onClick={() => (dialog.value = 'world')}>
            Another world
          </Button>
          <Button needs="own" kind="main" icon="plus" onClick={() => setMaking(true)}>
            Create a world
          </Button>
        </div>
      </header>
      {making && <MakeWorld close={() => setMaking(false)} />}
      <div class="halves">
        <div class="stack-cards">
          <ThisWorld of={value} />
          <Snapshots />
          <OtherWorlds />
        </div>
        <WorldSettings world={value} again={again} key={world} />
      </div>
    </>
  )
}

type Shown = Awaited<ReturnType<NonNullable<typeof session.value>['client']['show']>>

function ThisWorld({ of: value }: { of: Shown }) {
  const { id, name, transactions, retained, requests, pending_jobs, disposable, parent } = value
  return (
    <Card
      title={name ?? id}
      label="This world"
      actions={
        <>
          <Button needs="own" onClick={() => void saveExport()}>
            Export
          </Button>
          <ImportWorld />
        </>
      }
    >
      <Facts
        of={[
          ['Id', <Said>{id}</Said>],
          ['Parent world', parent !== null && <Said>{parent}</Said>],
          [
            'Contents',
            `${counted(transactions, 'payment')}${retained === transactions ? '' : `, ${retained} kept`}, ${counted(requests, 'request')} logged`,
          ],
          ['Pending jobs', pending_jobs.toLocaleString('en')],
          [
            'How long',
            disposable
              ? 'until unused for SANDBOX_WORLD_TTL, a day by default'
              : 'as long as the sandbox’s data, since it is the default world',
          ],
        ]}
      />
      <ul class="plain-list danger-list" aria-label="Destructive actions">
        <li class="line">
          <span class="soft">
            Discards {counted(transactions, 'payment')} and {counted(requests, 'request')}.
          </span>
          <ConfirmButton
            label="Reset…"
            title="Reset this world?"
            words="All data is replaced by the initial state. A snapshot is taken first, so that you can undo it."
            action="Reset"
            needs="own"
            run={() =>
              void destroy(async ({ client }) => {
                await client.reset()
                return 'World reset.'
              }, 'own')
            }
          />
        </li>
        <li class="line">
          <span class="soft">
            Removes the world with {counted(transactions, 'payment')}, its snapshots and keys.
          </span>
          <ConfirmButton
            label="Delete…"
            title="Delete this world?"
            words={
              isDerived(id)
                ? `All data of ${id} goes. Undo restores it, but not its snapshots and keys.`
                : `All data of ${id} will be lost, with its snapshots and keys. This cannot be undone; export it first.`
            }
            action="Delete"
            needs="own"
            disabled={!disposable}
            hint={disposable ? undefined : 'The default world cannot be deleted; reset it instead'}
            run={() => void deleteWorld(id)}
          />
        </li>
      </ul>
    </Card>
  )
}

/** Whether the world belongs to a key of another world, which can create it again. */
const isDerived = (id: string) => rootOf(id) !== id

const deleteWorld = (id: string) =>
  undoable(async ({ client, world }) => {
    const kept = isDerived(id) ? await client.export() : undefined
    await client.delete()
    tellGone()
    goToRoot(rootOf(world))
    return {
      text: `${id} deleted.`,
      undo:
        kept &&
        (async () => {
          await client.import(kept)
          go(writeAddress({ world: id, page: 'worlds' }))
          return `${id} is back.`
        }),
    }
  }, 'own')

export const saveExport = () =>
  act(async ({ client, world }) => {
    const text = JSON.stringify(await client.export())
    download(`${world}.json`, text, 'application/json')
    return 'World exported.'
  }, 'own')

interface Chosen {
  readonly name: string
  readonly world: WorldExport
}

export function ImportWorld() {
  const field = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<Chosen>()
  const choose = async (file: File | undefined) => {
    field.current!.value = ''
    if (!file) return
    try {
      setChosen({ name: file.name, world: JSON.parse(await file.text()) as WorldExport })
    } catch {
      say(`${file.name} is not JSON, so it is not an exported world.`, true)
    }
  }
  return (
    <>
      <input
        ref={field}
        class="unseen"
        type="file"
        accept="application/json,.json"
        aria-label="File of an exported world"
        tabIndex={-1}
        onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
      />
      <Button needs="own" onClick={() => field.current!.click()}>
        Import…
      </Button>
      {chosen && (
        <Confirm
          title="Replace the open world with this file?"
          words={`${chosen.name} has ${counted(rowsIn(chosen.world), 'row')}${of(chosen.world)}. It replaces all data of the open world; Undo brings them back.`}
          action="Import"
          needs="own"
          run={() =>
            void destroy(async ({ client }) => {
              await client.import(chosen.world)
              return 'World imported.'
            }, 'own')
          }
          close={() => setChosen(undefined)}
        />
      )}
    </>
  )
}

const rowsIn = (world: Partial<WorldExport> | null): number =>
  Object.values(world?.rows ?? {}).reduce((sum, rows) => sum + (Array.isArray(rows) ? rows.length : 0), 0)

const of = (world: Partial<WorldExport> | null): string =>
  typeof world?.exported_at === 'string' ? `, of ${world.exported_at.slice(0, 16).replace('T', ' ')} UTC` : ''

const nameOf = ({ name, id }: Snapshot) => name || `Snapshot ${id}`

/** Milliseconds until a snapshot is deleted. */
const KEPT_FOR = 30_000

export function Snapshots() {
  const { client, world } = session.value!
  const [hidden, setHidden] = useState<number>()
  const { value, error, again } = useValue(() => client.snapshots.list(), [world], ['snapshot'])
  const remove = (snapshot: Snapshot) =>
    undoable(async () => {
      setHidden(snapshot.id)
      const timer = setTimeout(
        () =>
          void act(async () => {
            await client.snapshots.delete(snapshot)
            again()
          }, 'own'),
        KEPT_FOR,
      )
      return {
        text: 'Snapshot deleted.',
        async undo() {
          clearTimeout(timer)
          setHidden(undefined)
          return 'Snapshot kept.'
        },
      }
    }, 'own')
  const take = (name: string) =>
    act(async () => {
      await client.snapshots.take(name || undefined)
      again()
      return 'Snapshot taken.'
    }, 'own')
  return (
    <Card
      title="Snapshots"
      actions={
        <TextForm
          label="Name of the snapshot"
          placeholder="Name"
          maxLength={100}
          required={false}
          action="Take a snapshot"
          needs="own"
          send={take}
        />
      }
    >
      {!value ? (
        <NotThere state={error ? 'failed' : 'loading'} error={error} retry={again} />
      ) : value.length === 0 ? (
        <Empty icon="copy" title="No snapshot yet">
          <p>A snapshot saves the world's state. You can restore it any number of times.</p>
        </Empty>
      ) : (
        <ul class="plain-list">
          {value
            .filter(({ id }) => id !== hidden)
            .map((each) => (
              <li key={each.id} class="line">
                <span>
                  <b>
                    <Said>{nameOf(each)}</Said>
                  </b>{' '}
                  <span class="soft">
                    <Time at={each.taken_at} />, {counted(each.rows, 'row')}
                  </span>
                </span>
                <span class="row">
                  <ConfirmButton
                    label="Go back…"
                    quiet
                    title="Go back?"
                    words={`Everything since ${nameOf(each)} was taken is replaced. Undo brings it back.`}
                    action="Go back"
                    needs="own"
                    run={() =>
                      void destroy(async () => {
                        await client.snapshots.restore(each)
                        return 'World restored.'
                      }, 'own')
                    }
                  />
                  <ConfirmButton
                    label="Delete…"
                    quiet
                    title="Delete this snapshot?"
                    words={`${nameOf(each)} goes; the world stays as it is. Undo keeps it for half a minute.`}
                    action="Delete"
                    needs="own"
                    run={() => void remove(each)}
                  />
                </span>
              </li>
            ))}
        </ul>
      )}
    </Card>
  )
}

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
export const OtherWorlds = () => (mayOwn.value ? <ListedWorlds /> : null)

function ListedWorlds() {
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
