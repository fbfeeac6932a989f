import type {
  CallbackTarget,
  CallbackTargetList,
  VerifyCallbackTargetRequest,
} from '../../src/generated/control/types.ts'
import schema from 'schema:verifyCallbackTarget?url,by'
import { useValue } from '../core/resource.ts'
import { hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Block, Card, Pill, RealTime, Said } from '../parts/bits.tsx'
import { Form } from '../parts/form.tsx'
import { Curl } from '../parts/curl.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { type Column, Table } from '../parts/table.tsx'

const hrefTo = ({ origin }: CallbackTarget) => hrefOf('callbacks', undefined, { text: origin })

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
  { title: 'Verified', rank: 1, cell: ({ verified_at }) => <RealTime at={verified_at} /> },
  { title: 'Until', is: 'time', cell: ({ expires_at }) => <RealTime at={expires_at} /> },
]

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
        <Card title="Verified receivers" class="list">
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
        </Card>
        <Verify file={value?.file} done={again} />
      </div>
    </>
  )
}

const NoTarget = () => (
  <Empty icon="targets" title="No verified receivers">
    <p>Receivers are verified by a challenge. Verify yours:</p>
    <Curl
      label="A challenge by curl"
      path="/sandbox/callback-targets"
      body={{
        url: 'https://shop.example/payments/callback',
      }}
    />
  </Empty>
)

const Verify = ({ file, done }: { file: CallbackTargetList['file'] | undefined; done: () => void }) => (
  <Form<VerifyCallbackTargetRequest>
    of={schema}
    fields={{
      url: { input: { type: 'url' } },
      by: {
        label: 'Method',
        choices: { echo: 'response to the challenge', file: 'a hosted file' },
        none: false,
      },
    }}
    initial={{ by: 'echo' }}
    title="Verify a receiver"
    action="Verify"
    send={async (body) => {
      const { origin } = await session.peek()!.client.call('verifyCallbackTarget', { body })
      done()
      return `${origin} is verified.`
    }}
  >
    {({ by }) =>
      by === 'file' &&
      file && (
        <>
          <p class="soft">
            Serve this text at <code>{file.path}</code>:
          </p>
          <Block label="The text of the file" text={file.text} />
        </>
      )
    }
  </Form>
)
