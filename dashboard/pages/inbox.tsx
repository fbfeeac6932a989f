import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { Inbox, InboxMessage } from '../../src/generated/control/types.ts'
import { act, busy } from '../core/actions.ts'
import { newPayment } from '../core/dialogs.ts'
import { quoted } from '../core/durations.ts'
import { isBinary } from '../core/bodies.ts'
import { gistOf } from '../core/gist.ts'
import { listOf } from '../core/list.ts'
import { go, hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { changes, happenings } from '../core/store.ts'
import { useCalm } from '../core/use-calm.ts'
import { Block, Button, Code, Said, Time } from '../parts/bits.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, NotThere } from '../parts/list-states.tsx'
import { Rows, type Column } from '../parts/rows.tsx'
import { Split } from '../parts/split.tsx'
import { Verdict, verdict } from '../parts/verdict.tsx'
import { AnswersForm } from './inbox-answers.tsx'
import { InboxMessageDetail } from './inbox-message.tsx'

/** The inbox as last loaded. */
const inbox = signal<Inbox | undefined>(undefined)
const shownName = signal('')

const messages = listOf<InboxMessage>({
  async page(before) {
    const path = `/sandbox/inbox/${encodeURIComponent(shownName.peek())}`
    const found = await session.peek()!.transport.ask<Inbox>('GET', path, { query: { limit: 50, before } })
    if (before === undefined) inbox.value = found
    return { items: found.messages, next: found.next_before }
  },
  order: ({ id }) => id,
})

const columnsOf = (name: string): readonly Column<InboxMessage>[] => [
  { title: 'Time', width: 'var(--time)', cell: ({ at }) => <Time at={at} /> },
  {
    title: 'Message',
    cell: (message) => (
      <span class="stack">
        <span class="one-line">
          <a href={hrefOf('inbox', `${name}/${message.id}`)}>
            <Said>{titleOf(message)}</Said>
          </a>
        </span>
        <span class="below one-line">{verdict(message)}</span>
      </span>
    ),
  },
  { title: 'Signature', wide: true, width: '13rem', cell: (message) => <Verdict of={message} /> },
  {
    title: 'Response',
    width: 'var(--state)',
    right: true,
    cell: ({ response_status }) =>
      response_status === null ? <span class="soft">no response</span> : <Code status={response_status} />,
  },
]

const titleOf = ({ id, body }: InboxMessage) =>
  body === '' ? `Message ${id}, without a body` : isBinary(body) ? `Message ${id}, binary` : gistOf(body)

/** One inbox: address, responses and messages. */
export function InboxPage({ name, message }: { name: string; message: number | undefined }) {
  const { world } = session.value!
  // Clearing an inbox also resets its responses, which creates an event.
  const told = happenings.value.find(({ type, data }) => type === 'inbox' && data['scripts'] !== undefined)
  const emptied = told && !Object.hasOwn(told.data['scripts'] as object, name) ? told.n : 0
  const news = useCalm(changes.value['inbox'])
  useEffect(() => {
    shownName.value = name
    inbox.value = undefined
    messages.clear()
  }, [world, name, emptied, changes.value['reset']])
  useEffect(() => void messages.load(), [world, name, emptied, news, changes.value['reset']])
  const { value } = inbox
  return (
    <Split
      title={`Inbox ${name}`}
      open={message !== undefined}
      back={hrefOf('inbox', name)}
      detail={message !== undefined && <InboxMessageDetail key={message} name={name} id={message} />}
      list={
        <>
          <Head name={name} of={value} />
          {value && <AnswersForm name={name} of={value} changed={() => void messages.load()} />}
          <section class="card" aria-label="Messages">
            {messages.items.value.length > 0 ? (
              <Rows
                label="Messages, newest first"
                items={messages.items.value}
                columns={columnsOf(name)}
                keyOf={({ id }) => id}
                href={({ id }) => hrefOf('inbox', `${name}/${id}`)}
                chosen={message}
                older={messages.more.value ? () => void messages.older() : undefined}
              />
            ) : messages.state.value === 'there' && value ? (
              <Nothing address={value.address} />
            ) : (
              <NotThere
                state={messages.state.value}
                error={messages.error.value}
                retry={() => void messages.load()}
              />
            )}
          </section>
        </>
      }
    />
  )
}

function Head({ name, of }: { name: string; of: Inbox | undefined }) {
  const [asked, setAsked] = useState(false)
  const empty = () =>
    act(async ({ client }) => {
      await client.inbox.clear(name)
      if (name !== 'default') go(hrefOf('inbox'))
      else messages.clear()
      await messages.load()
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
            <Button disabled={busy.value} onClick={() => setAsked(true)}>
              {what}
            </Button>
          )}
        </div>
      </header>
      {of && <Block label="Address of the inbox" text={of.address} />}
      {asked && (
        <Confirm
          title={`${what}?`}
          words={`Deletes all messages of inbox ${name}. It responds with 200 again.`}
          action={what}
          run={() => void empty()}
          close={() => setAsked(false)}
        />
      )}
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
