import type { Snapshot } from '../../src/client/types.ts'
import { act, destroy } from '../core/actions.ts'
import { counted } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { session } from '../core/session.ts'
import { Card, Said, Time } from '../parts/bits.tsx'
import { ConfirmButton } from '../parts/dialog.tsx'
import { TextForm } from '../parts/form.tsx'
import { Empty, Loading, NotThere } from '../parts/list-states.tsx'

const nameOf = ({ name, id }: Snapshot) => name || `Snapshot ${id}`

export function Snapshots() {
  const { client, world } = session.value!
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
                  words={`${nameOf(each)} goes; the world stays as it is.`}
                  action="Delete"
                  needs="own"
                  run={() =>
                    void act(async () => {
                      await client.snapshots.delete(each)
                      again()
                      return 'Snapshot deleted.'
                    }, 'own')
                  }
                />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
