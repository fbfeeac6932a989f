import type { Inbox, InboxMessage } from '../../src/generated/control/types.ts'
import { act } from '../core/actions.ts'
import { newPayment } from '../core/dialogs.ts'
import { quoted } from '../core/curl.ts'
import { isBinary } from '../core/bodies.ts'
import { gistOf } from '../core/gist.ts'
import { listOf, type Resource, useList, useValue } from '../core/resource.ts'
import { go, hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Block, Button, Code, Said, TimeOfDay } from '../parts/bits.tsx'
import { ConfirmButton } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty } from '../parts/list-states.tsx'
import { ListCard } from '../parts/list-page.tsx'
import { Split } from '../parts/split.tsx'
import { type Column, nameColumn } from '../parts/table.tsx'
import { Verdict } from '../parts/verdict.tsx'
import { AnswersForm } from './inbox-answers.tsx'
import { InboxMessageDetail } from './inbox-message.tsx'

const read = (name: string, query: { readonly limit: number; readonly before?: number | undefined }) =>
  session.peek()!.transport.ask<Inbox>('GET', `/sandbox/inbox/${encodeURIComponent(name)}`, { query })

const messages: Resource<InboxMessage> = {
  async page({ name }, before) {
    const found = await read(String(name), { limit: 50, before: (before as number | null) ?? undefined })
    return { items: found.messages, next: found.next_before }
  },
  order: ({ id }) => id,
  events: ['inbox'],
}

const columnsOf = (name: string): readonly Column<InboxMessage>[] => [
  { title: 'Time', is: 'time', cell: ({ at }) => <TimeOfDay at={at} /> },
  nameColumn('Message', (message) => hrefOf('inbox', `${name}/${message.id}`), titleOf),
  { title: 'Signature', rank: 1, cell: (message) => <Verdict of={message} /> },
  {
    title: 'Response',
    is: 'state',
    cell: ({ response_status }) =>
      response_status === null ? <span class="soft">no response</span> : <Code status={response_status} />,
  },
]

const titleOf = ({ id, body }: InboxMessage) =>
  body === '' ? `Message ${id}, without a body` : isBinary(body) ? `Message ${id}, binary` : gistOf(body)

/** One inbox: address, responses and messages. */
export function InboxPage({ name, message }: { name: string; message: number | undefined }) {
  const list = useList(messages, { name })
  const { value, again } = useValue(() => read(name, { limit: 1 }), [name], ['inbox'])
  return (
    <Split
      title={`Inbox ${name}`}
      open={message !== undefined}
      back={hrefOf('inbox', name)}
      detail={message !== undefined && <InboxMessageDetail key={message} name={name} id={message} />}
      list={
        <>
          <Head name={name} of={value} />
          {value && <AnswersForm name={name} of={value} changed={again} />}
          <ListCard
            title="Messages"
            noun="message"
            list={list}
            columns={columnsOf(name)}
            href={({ id }) => hrefOf('inbox', `${name}/${id}`)}
            date={({ at }) => at}
            chosen={message}
            empty={value && <Nothing address={value.address} />}
          />
        </>
      }
    />
  )
}

function Head({ name, of }: { name: string; of: Inbox | undefined }) {
  const empty = () =>
    act(async ({ client }) => {
      await client.inbox.clear(name)
      if (name !== 'default') go(hrefOf('inbox'))
      await listOf(messages, { name }).load()
      return name === 'default' ? 'Inbox cleared.' : `Inbox ${name} deleted.`
    })
  const what = name === 'default' ? 'Clear' : 'Delete'
  return (
    <>
      <header class="head">
        <a href={hrefOf('inbox')} class="way">
          <Icon name="left" />
          Inboxes
        </a>
        <h1 class="one-line">
          <Said>{name}</Said>
        </h1>
        <div class="actions">
          {of && (
            <Button onClick={() => newPayment({ callback_url: of.address })}>Pay with a callback here</Button>
          )}
          {of && (
            <ConfirmButton
              label={what}
              quiet
              title={`${what}?`}
              words={`Deletes all messages of inbox ${name}. It responds with 200 again.`}
              action={what}
              run={() => void empty()}
            />
          )}
        </div>
      </header>
      {of && <Block label="Address of the inbox" text={of.address} />}
    </>
  )
}

const Nothing = ({ address }: { address: string }) => (
  <Empty icon="mail" title="Nothing came yet">
    <p>
      Send the address as <code>callback_url</code>, or post anything to it; it needs no password:
    </p>
    <Block
      label="A message by curl"
      text={`curl ${quoted(address)} -H 'Content-Type: application/json' -d '{"hello":"inbox"}'`}
    />
  </Empty>
)
