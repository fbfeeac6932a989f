import { useState } from 'preact/hooks'
import type { Snapshot } from '../../src/client/types.ts'
import type { WorldList } from '../../src/generated/control/types.ts'
import { act, busy } from '../core/actions.ts'
import { writeAddress } from '../core/address.ts'
import { dialog } from '../core/dialogs.ts'
import { counted } from '../core/format.ts'
import { session } from '../core/session.ts'
import { changes } from '../core/store.ts'
import { useRead } from '../core/use-read.ts'
import { Button, Facts, Said, Time } from '../parts/bits.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Empty, Loading } from '../parts/list-states.tsx'

/** The world that is shown, how to go back in it, and the others. */
export function Worlds() {
  return (
    <>
      <header class="head">
        <h1>Worlds</h1>
        <div class="actions">
          <Button needs="read" kind="main" icon="plus" keys="w" onClick={() => (dialog.value = 'world')}>
            Another world
          </Button>
        </div>
      </header>
      <ThisWorld />
      <Snapshots />
      <Others />
    </>
  )
}

function ThisWorld() {
  const { client, world } = session.value!
  const { value } = useRead(() => client.show(), [world], [changes.value['reset'], changes.value['settings']])
  const [asked, setAsked] = useState(false)
  const reset = () =>
    void act(async () => {
      await client.reset()
      return 'The world is as it began.'
    }, 'own')
  const download = () =>
    act(async () => {
      const text = JSON.stringify(await client.export(), null, 2)
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
      link.download = `${world}.json`
      link.click()
      URL.revokeObjectURL(link.href)
      return 'The world is exported.'
    }, 'own')
  if (!value) return <Loading />
  const { settings } = value
  return (
    <section class="card" aria-label="This world">
      <header class="bar">
        <h2>
          <Said>{value.name ?? value.id}</Said>
        </h2>
        <span class="actions">
          <Button needs="own" disabled={busy.value} onClick={() => void download()}>
            Export
          </Button>
          <Button needs="own" kind="danger" disabled={busy.value} onClick={() => setAsked(true)}>
            Reset…
          </Button>
        </span>
      </header>
      <Facts
        of={[
          ['Id', <Said>{value.id}</Said>],
          [
            'In it',
            `${counted(value.transactions, 'transaction')}, ${counted(value.requests, 'request')} on record`,
          ],
          ['Owed', counted(value.pending_jobs, 'thing')],
          ['Settles after', settings.settle_after],
          ['The payer', settings.payer.replaceAll('_', ' ')],
          ['Signed by', settings.signatures],
          ['Retries like', settings.retry_profile],
          ['Kept', settings.keep],
        ]}
      />
      {asked && (
        <Confirm
          title="Reset this world?"
          words="Everything in it goes, and it is as it began. A snapshot taken now would be the way back."
          action="Reset"
          run={reset}
          needs="own"
          close={() => setAsked(false)}
        />
      )}
    </section>
  )
}

function Snapshots() {
  const { client, world } = session.value!
  const [name, setName] = useState('')
  const [back, setBack] = useState<Snapshot>()
  const { value, again } = useRead(() => client.snapshots.list(), [world], [changes.value['snapshot']])
  const take = (event: Event) => {
    event.preventDefault()
    void act(async () => {
      await client.snapshots.take(name || undefined)
      setName('')
      again()
      return 'The snapshot is taken.'
    }, 'own')
  }
  return (
    <section class="card" aria-label="Snapshots">
      <header class="bar">
        <h2>Snapshots</h2>
        <form class="actions" onSubmit={take}>
          <input
            class="name"
            aria-label="Name of the snapshot"
            placeholder="Name"
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Button needs="own" type="submit" disabled={busy.value}>
            Take one
          </Button>
        </form>
      </header>
      {(value ?? []).length === 0 ? (
        <Empty icon="copy" title="No snapshot yet">
          <p>A snapshot keeps the world as it is, to go back to as often as you like.</p>
        </Empty>
      ) : (
        <ul class="plain-list">
          {value!.map((each) => (
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
                <Button
                  needs="own"
                  disabled={busy.value}
                  onClick={() =>
                    void act(async () => {
                      await client.snapshots.delete(each)
                      again()
                      return 'The snapshot is gone.'
                    }, 'own')
                  }
                >
                  Delete
                </Button>
              </span>
            </li>
          ))}
        </ul>
      )}
      {back && (
        <Confirm
          title="Go back?"
          words={`Everything since ${back.name || `snapshot ${back.id}`} was taken goes.`}
          action="Go back"
          needs="own"
          run={() =>
            void act(async () => {
              await client.snapshots.restore(back)
              return 'The world is as it was.'
            }, 'own')
          }
          close={() => setBack(undefined)}
        />
      )}
    </section>
  )
}

function Others() {
  const { transport, world } = session.value!
  const { value, error } = useRead(
    () => transport.ask<WorldList>('GET', '/sandbox/worlds', { query: { limit: 100 } }),
    [world],
  )
  if (error || !value) return null
  return (
    <section class="card" aria-label="All worlds of this key">
      <header class="bar">
        <h2>All worlds of this key</h2>
        <span class="soft">{value.total}</span>
      </header>
      <ul class="plain-list">
        {value.worlds.map(({ id, name, transactions }) => (
          <li key={id} class="line">
            <a
              href={writeAddress({ world: id, page: 'live' })}
              aria-current={id === world ? 'true' : undefined}
            >
              <Said>{name ? `${name} (${id})` : id}</Said>
            </a>
            <span class="soft">{counted(transactions, 'transaction')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
