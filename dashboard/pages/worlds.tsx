import { useState } from 'preact/hooks'
import { act, busy, destroy } from '../core/actions.ts'
import { dialog } from '../core/dialogs.ts'
import { counted } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { goToRoot, rootOf, session } from '../core/session.ts'
import { tellGone } from '../core/store.ts'
import { Button, Card, Facts, Said } from '../parts/bits.tsx'
import { ConfirmButton } from '../parts/dialog.tsx'
import { atNeed } from '../parts/at-need.tsx'
import { Loading, NotThere } from '../parts/list-states.tsx'
import { ImportWorld, saveExport } from './world-file.tsx'
import { OtherWorlds } from './world-list.tsx'
import { MakeWorld } from './world-make.tsx'
import { Snapshots } from './world-snapshots.tsx'

const WorldSettings = atNeed(async () => (await import('./world-settings.tsx')).WorldSettings)

/** The current world, its snapshots, and other worlds. */
export function Worlds() {
  const { client, world } = session.value!
  const { value, error, again } = useValue(() => client.show(), [world], ['settings'])
  const [making, setMaking] = useState(false)
  if (!value) return error ? <NotThere state="failed" error={error} retry={again} /> : <Loading />
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
        </div>
        <WorldSettings world={value} again={again} key={world} />
      </div>
      <OtherWorlds />
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
          <Button needs="own" disabled={busy.value} onClick={() => void saveExport()}>
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
          <span class="soft">Removes the world with its snapshots and keys.</span>
          <ConfirmButton
            label="Delete…"
            title="Delete this world?"
            words={`All data of ${id} will be lost, including its snapshots. Only an export can restore it.`}
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

const deleteWorld = (id: string) =>
  act(async ({ client, world }) => {
    await client.delete()
    tellGone()
    goToRoot(rootOf(world))
    return `${id} deleted.`
  }, 'own')
