import { useState } from 'preact/hooks'
import type { InboxSummary } from '../../src/client/types.ts'
import { counted } from '../core/format.ts'
import { go, hrefOf, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { changes } from '../core/store.ts'
import { useCalm } from '../core/use-calm.ts'
import { useRead } from '../core/use-read.ts'
import { Button, Code, Time } from '../parts/bits.tsx'
import { NotThere } from '../parts/list-states.tsx'
import { Rows, type Column } from '../parts/rows.tsx'
import { Answers } from './inbox-answers.tsx'
import { InboxPage } from './inbox.tsx'

/** The built-in test receivers: all, one, or one message. */
export function Inboxes() {
  const [name, message] = thing.value?.split('/') ?? []
  if (name === undefined) return <All />
  return <InboxPage key={name} name={name} message={message === undefined ? undefined : Number(message)} />
}

const columns: readonly Column<InboxSummary>[] = [
  {
    title: 'Inbox',
    cell: ({ name, messages }) => (
      <span class="stack">
        <span class="one-line">
          <a href={hrefOf('inbox', name)}>{name}</a>
        </span>
        <span class="below one-line">{counted(messages, 'message')}</span>
      </span>
    ),
  },
  {
    title: 'Messages',
    wide: true,
    width: '7rem',
    cell: ({ messages }) => <span class="num">{messages.toLocaleString('en')}</span>,
  },
  {
    title: 'Last',
    wide: true,
    width: '12rem',
    cell: ({ last_at }) => (last_at ? <Time at={last_at} /> : <span class="soft">nothing yet</span>),
  },
  {
    title: 'Response',
    wide: true,
    width: '7rem',
    cell: ({ last_at, last_response_status }) => last_at && <LastAnswer of={last_response_status} />,
  },
  { title: 'Answers', width: '40%', cell: (inbox) => <Answers of={inbox} /> },
]

const LastAnswer = ({ of }: { of: number | null }) =>
  of === null ? <span class="soft">no response</span> : <Code status={of} />

function All() {
  const { world, client } = session.value!
  const news = useCalm(`${changes.value['inbox']} ${changes.value['reset']}`)
  const { value, error, again } = useRead(() => client.inbox.list(), [world], [news])
  return (
    <>
      <header class="head">
        <h1>Inboxes</h1>
        <NewInbox />
      </header>
      <p class="lead soft">
        Test receivers inside the sandbox. Use the address of one as <code>callback_url</code>, set its
        responses, and see what arrives. A new name creates a new inbox.
      </p>
      <section class="card" aria-label="Inboxes">
        {value ? (
          <Rows
            label="Inboxes, by name"
            items={value}
            columns={columns}
            keyOf={({ name }) => name}
            href={({ name }) => hrefOf('inbox', name)}
          />
        ) : (
          <NotThere state={error ? 'failed' : 'loading'} error={error} retry={again} />
        )}
      </section>
    </>
  )
}

function NewInbox() {
  const [name, setName] = useState('')
  return (
    <form
      class="actions"
      onSubmit={(event) => {
        event.preventDefault()
        go(hrefOf('inbox', name))
      }}
    >
      <input
        class="name long"
        aria-label="Name of a new inbox"
        placeholder="A name, such as shop"
        required
        maxLength={64}
        pattern="[\w.\-]+"
        title="Letters, digits, dots, dashes and underscores"
        autocomplete="off"
        spellcheck={false}
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Button needs="read" type="submit" kind="main" icon="plus">
        New inbox
      </Button>
    </form>
  )
}
