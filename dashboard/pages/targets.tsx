import { useState } from 'preact/hooks'
import type { CallbackTarget, CallbackTargetList } from '../../src/generated/control/types.ts'
import { act, busy } from '../core/actions.ts'
import { endOf } from '../core/format.ts'
import { curlUser } from '../core/here.ts'
import { curlOf } from '../core/payment.ts'
import { useValue } from '../core/resource.ts'
import { hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { Block, Button, Pill, Said } from '../parts/bits.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { type Column, Table } from '../parts/table.tsx'

const hrefTo = ({ origin }: CallbackTarget) => hrefOf('callbacks', undefined, { text: origin })

const Until = ({ at }: { at: string }) => (
  <time class="num" dateTime={at} title={`${at}(real time)`}>
    {endOf(at)}
  </time>
)

const columns: readonly Column<CallbackTarget>[] = [
  {
    title: 'Receiver',
    is: 'main',
    cell: (target) => (
      <a href={hrefTo(target)} title="Its callbacks">
        <Said>{target.origin}</Said>
      </a>
    ),
  },
  { title: 'Verified', rank: 1, cell: ({ verified_at }) => <Until at={verified_at} /> },
  { title: 'Until', is: 'time', cell: ({ expires_at }) => <Until at={expires_at} /> },
]

/** Verified callback targets of this world. */
export function Targets() {
  const { world, transport } = session.value!
  const { value, error, again } = useValue(
    () => transport.ask<CallbackTargetList>('GET', '/sandbox/callback-targets'),
    [world],
  )
  return (
    <>
      <header class="head">
        <h1>Callback targets</h1>
        {value &&
          (value.required ? <Pill tone="wait">required</Pill> : <Pill tone="plain">not required</Pill>)}
      </header>
      {value && (
        <p class="soft">
          {value.required
            ? 'Callbacks are only sent to receivers verified for this world.'
            : 'This sandbox sends callbacks to any address. Public sandboxes may require verified receivers.'}
        </p>
      )}
      <div class="halves">
        <section class="card list" aria-label="Verified receivers">
          <header class="bar">
            <h2>Verified receivers</h2>
          </header>
          {!value ? (
            <NotThere state={error ? 'failed' : 'loading'} error={error} retry={again} />
          ) : value.callback_targets.length > 0 ? (
            <Table
              label="Verified receivers"
              items={value.callback_targets.toReversed()}
              columns={columns}
              keyOf={({ origin }) => origin}
              href={hrefTo}
            />
          ) : (
            <NoTarget />
          )}
        </section>
        <Verify file={value?.file} done={again} />
      </div>
    </>
  )
}

const NoTarget = () => (
  <Empty icon="targets" title="No verified receivers">
    <p>Receivers are verified by a challenge. Verify yours:</p>
    <Block
      label="A challenge by curl"
      text={curlOf(settings.origin, curlUser(), '/sandbox/callback-targets', {
        url: 'https://shop.example/payments/callback',
      })}
    />
  </Empty>
)

type Proof = 'echo' | 'file'

/** Verifies a receiver. */
function Verify({ file, done }: { file: CallbackTargetList['file'] | undefined; done: () => void }) {
  const [url, setUrl] = useState('')
  const [by, setBy] = useState<Proof>('echo')
  const ask = async () => {
    const shown = await act(async ({ client }) => {
      const { origin } = await client.call('verifyCallbackTarget', { body: { url, by } })
      return `${origin} is verified.`
    })
    if (shown) done()
  }
  return (
    <section class="card" aria-label="Verify a receiver">
      <header class="bar">
        <h2>Verify a receiver</h2>
      </header>
      <form
        class="fields in-card"
        onSubmit={(event) => {
          event.preventDefault()
          void ask()
        }}
      >
        <label>
          Address
          <input
            type="url"
            required
            maxLength={2_000}
            placeholder="https://shop.example/payments/callback"
            value={url}
            onInput={({ currentTarget }) => setUrl(currentTarget.value)}
          />
        </label>
        <label>
          Method
          <select
            value={by}
            onChange={({ currentTarget }) => setBy(currentTarget.value === 'file' ? 'file' : 'echo')}
          >
            <option value="echo">response to the challenge</option>
            <option value="file">a hosted file</option>
          </select>
        </label>
        {by === 'echo' ? (
          <p class="soft">
            It is sent a signed POST with <code>{'"type": "callback_target.verification"'}</code> and answers
            200 with the <code>challenge</code> of it.
          </p>
        ) : (
          file && (
            <>
              <p class="soft">
                Serve this text at <code>{file.path}</code>:
              </p>
              <Block label="The text of the file" text={file.text} />
            </>
          )
        )}
        <Button kind="main" type="submit" disabled={busy.value}>
          Verify
        </Button>
      </form>
    </section>
  )
}
