import { useState } from 'preact/hooks'
import type { Snapshot } from '../../src/client/types.ts'
import { act, busy, destroy } from '../core/actions.ts'
import { counted } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { session } from '../core/session.ts'
import { Button, Card, Said, Time } from '../parts/bits.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { TextForm } from '../parts/form.tsx'
import { Empty, Loading, NotThere } from '../parts/list-states.tsx'

export function Snapshots() {
  const { client, world } = session.value!
  const [back, setBack] = useState<Snapshot>()
  const [gone, setGone] = useState<Snapshot>()
  const { value, error, again } = useValue(() => client.snapshots.list(), [world], ['snapshot'])
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
        error ? (
          <NotThere state="failed" error={error} retry={again} />
        ) : (
          <Loading />
        )
      ) : value.length === 0 ? (
        <Empty icon="copy" title="No snapshot yet">
          <p>A snapshot saves the world's state. You can restore it any number of times.</p>
        </Empty>
      ) : (
        <ul class="plain-list">
          {value.map((each) => (
            <li key={each.id} class="line">
              <span>
                <b>
                  <Said>{each.name || `Snapshot ${each.id}`}</Said>
                </b>{' '}
                <span class="soft">
                  <Time at={each.taken_at} />, {counted(each.rows, 'row')}
                </span>
              </span>
              <span class="row">
                <Button needs="own" disabled={busy.value} onClick={() => setBack(each)}>
                  Go back…
                </Button>
                <Button needs="own" disabled={busy.value} onClick={() => setGone(each)}>
                  Delete…
                </Button>
              </span>
            </li>
          ))}
        </ul>
      )}
      {back && (
        <Confirm
          title="Go back?"
          words={`Everything since ${back.name || `snapshot ${back.id}`} was taken is replaced. Undo brings it back.`}
          action="Go back"
          needs="own"
          run={() =>
            void destroy(async () => {
              await client.snapshots.restore(back)
              return 'World restored.'
            }, 'own')
          }
          close={() => setBack(undefined)}
        />
      )}
      {gone && (
        <Confirm
          title="Delete this snapshot?"
          words={`${gone.name || `Snapshot ${gone.id}`} goes; the world stays as it is.`}
          action="Delete"
          needs="own"
          run={() =>
            void act(async () => {
              await client.snapshots.delete(gone)
              again()
              return 'Snapshot deleted.'
            }, 'own')
          }
          close={() => setGone(undefined)}
        />
      )}
    </Card>
  )
}
