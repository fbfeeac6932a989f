import type { InboxSummary } from '../../src/client/types.ts'
import { counted } from '../core/format.ts'
import { useList, wholeResource } from '../core/resource.ts'
import { go, hrefOf, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Code, Time } from '../parts/bits.tsx'
import { TextForm } from '../parts/form.tsx'
import { Loading } from '../parts/list-states.tsx'
import { ListPage } from '../parts/list-page.tsx'
import type { Column } from '../parts/table.tsx'
import { Answers } from './inbox-answers.tsx'
import { InboxPage } from './inbox.tsx'

/** The built-in test receivers: all, one, or one message. */
export function Inboxes() {
  const [name, message] = thing.value?.split('/') ?? []
  if (name === undefined) return <All />
  return <InboxPage key={name} name={name} message={message === undefined ? undefined : Number(message)} />
}

const inboxes = wholeResource<InboxSummary>(() => session.peek()!.client.inbox.list(), ['inbox'])

const columns: readonly Column<InboxSummary>[] = [
  { title: 'Inbox', is: 'main', cell: ({ name }) => <a href={hrefOf('inbox', name)}>{name}</a> },
  {
    title: 'Messages',
    rank: 1,
    cell: ({ messages }) => <span class="num">{counted(messages, 'message')}</span>,
  },
  {
    title: 'Last message',
    rank: 2,
    cell: ({ last_at }) => (last_at ? <Time at={last_at} /> : <span class="soft">none</span>),
  },
  {
    title: 'Last response',
    rank: 3,
    cell: ({ last_at, last_response_status }) => last_at && <LastAnswer of={last_response_status} />,
  },
  { title: 'Next responses', is: 'state', cell: (inbox) => <Answers of={inbox} /> },
]

const LastAnswer = ({ of }: { of: number | null }) =>
  of === null ? <span class="soft">no response</span> : <Code status={of} />

const All = () => (
  <ListPage
    title="Inboxes"
    noun="inbox"
    nouns="inboxes"
    order="by name"
    list={useList(inboxes)}
    columns={columns}
    keyOf={({ name }) => name}
    href={({ name }) => hrefOf('inbox', name)}
    actions={<NewInbox />}
    empty={<Loading />}
    above={
      <p class="lead soft">
        Test receivers inside the sandbox. Use the address of one as <code>callback_url</code>, set its
        responses, and see what arrives. A new name creates a new inbox.
      </p>
    }
  />
)

const NewInbox = () => (
  <TextForm
    label="Name of a new inbox"
    placeholder="A name, such as shop"
    maxLength={64}
    pattern="[A-Za-z0-9_.\-]+"
    title="Letters, digits, dots, dashes and underscores"
    action="New inbox"
    send={(name) => go(hrefOf('inbox', name))}
  />
)
