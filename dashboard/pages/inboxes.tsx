import type { InboxResponse, InboxSummary } from '../../src/client/types.ts'
import type { Inbox, InboxMessage } from '../../src/generated/control/types.ts'
import { act, destroy } from '../core/actions.ts'
import { gistOf, isBinary } from '../core/bodies.ts'
import { quoted } from '../core/curl.ts'
import { newPayment } from '../core/dialogs.ts'
import { counted } from '../core/format.ts'
import { useKeys } from '../core/hooks.ts'
import { type Resource, listOf, useList, useValue, wholeResource } from '../core/resource.ts'
import { go, hrefOf, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { callbackResource } from '../core/store.ts'
import {
  Article,
  Block,
  Button,
  Card,
  ChipButton,
  Code,
  Facts,
  HeaderList,
  Pill,
  Said,
  Time,
  TimeOfDay,
} from '../parts/bits.tsx'
import { Body } from '../parts/body.tsx'
import { Verdict } from '../parts/callbacks.tsx'
import { ConfirmButton } from '../parts/dialog.tsx'
import { TextForm } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { ListCard, ListPage, Split } from '../parts/list-page.tsx'
import { Empty, Loading, Missing } from '../parts/list-states.tsx'
import { type Column, nameColumn } from '../parts/table.tsx'

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

type Script = Pick<InboxSummary, 'responses' | 'responses_sent'>

const word = (answer: InboxResponse) => (answer === 'timeout' ? 'no response' : String(answer))
const toneOf = (answer: InboxResponse) =>
  answer === 'timeout' || answer >= 400 ? 'bad' : answer >= 300 ? 'info' : 'good'

/** The scripted responses of an inbox; the next one is highlighted and the last one repeats. */
export function Answers({ of: { responses: answers, responses_sent } }: { of: Script }) {
  const next = Math.min(responses_sent, answers.length - 1)
  // Shows the responses around the next one if there are many.
  const from = Math.max(0, Math.min(next - 1, answers.length - 4))
  const some = answers.slice(from, from + 4)
  return (
    <span class="script">
      {from > 0 && <span class="soft">…</span>}
      {some.map((answer, n) => {
        const place = from + n
        const said = place === next ? 'next' : place < next ? 'used' : 'later'
        return (
          <span
            key={place}
            class={`pill ${toneOf(answer)} ${place === next ? 'next' : place < next ? 'past' : ''}`}
            title={said}
          >
            {word(answer)}
            <span class="unseen">, {said}</span>
          </span>
        )
      })}
      {from + 4 < answers.length && <span class="soft">…</span>}
    </span>
  )
}

const usual: readonly (readonly [title: string, answers: readonly InboxResponse[]])[] = [
  ['Accept: 200', [200]],
  ['Fail: 500', [500]],
  ['Refuse: 401', [401]],
  ['Gone: 410', [410]],
  ['Time out', ['timeout']],
  ['500, 500, 200', [500, 500, 200]],
]

export function AnswersForm({ name, of, changed }: { name: string; of: Script; changed: () => void }) {
  const set = (answers: readonly InboxResponse[]) =>
    act(async ({ client }) => {
      await client.inbox.respond(answers, name)
      changed()
      return `Next responses: ${answers.map(word).join(', then ')}.`
    })
  const same = (answers: readonly InboxResponse[]) =>
    of.responses_sent === 0 && JSON.stringify(answers) === JSON.stringify(of.responses)
  return (
    <Card
      title="Responses"
      beside={
        <>
          <Answers of={of} />
          <span class="soft actions">{of.responses.length > 1 ? 'in order; the last one repeats' : ''}</span>
        </>
      }
    >
      <div class="in-card chips">
        {usual.map(([title, answers]) => (
          <ChipButton key={title} pressed={same(answers)} onClick={() => void set(answers)}>
            {title}
          </ChipButton>
        ))}
        <TextForm
          label="Several responses, in order"
          placeholder="503, timeout, 200"
          action="Set"
          needs="change"
          send={(text) => set(answersOf(text))}
        />
      </div>
    </Card>
  )
}

/** Invalid numbers are sent as typed, so that the sandbox reports the error. */
const answersOf = (text: string) =>
  text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map((each) => (/^\d+$/.test(each) ? Number(each) : each)) as InboxResponse[]

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
            empty={value && <NoMessage address={value.address} />}
          />
        </>
      }
    />
  )
}

function Head({ name, of }: { name: string; of: Inbox | undefined }) {
  const empty = () =>
    destroy(async ({ client }) => {
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
              words={`Deletes all messages of inbox ${name}. It responds with 200 again. Undo restores the world as it is now.`}
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

const NoMessage = ({ address }: { address: string }) => (
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

/** Loads a message, or undefined if it is no longer kept. */
async function messageOf(name: string, id: number): Promise<{ readonly message: InboxMessage | undefined }> {
  const path = `/sandbox/inbox/${encodeURIComponent(name)}`
  const query = { limit: 1, before: id + 1 }
  const { messages } = await session.peek()!.transport.ask<Inbox>('GET', path, { query })
  return { message: messages.find((each) => each.id === id) }
}

export function InboxMessageDetail({ name, id }: { name: string; id: number }) {
  const callbacks = useList(callbackResource)
  const { value, error, loading } = useValue(() => messageOf(name, id), [name, id])
  useKeys(
    [
      {
        keys: 'Escape',
        what: 'Back to the inbox',
        group: 'Open item',
        run: () => go(hrefOf('inbox', name)),
      },
      {
        keys: 'e',
        what: 'Explain the signature',
        group: 'Open item',
        run: () => go(hrefOf('doctor', undefined, { inbox: name, message: String(id) })),
      },
    ],
    [name, id],
  )
  const message = value?.message
  if (!message)
    return (
      <Missing
        title={`Message ${id} not found`}
        words={error || 'The inbox was cleared, or the message was dropped: a world keeps the last 500.'}
        loading={loading}
      />
    )
  const { headers, response_status: status } = message
  const callback = callbacks.items.value.find(({ event_id }) => event_id === headers['webhook-id'])
  return (
    <Article
      title={`Message ${id}`}
      beside={status ? <Code status={status} /> : <Pill tone="bad">no response</Pill>}
      actions={
        <a class="button" href={hrefOf('doctor', undefined, { inbox: name, message: String(id) })}>
          Signature doctor
        </a>
      }
    >
      <Facts
        of={[
          ['Came', <Time at={message.at} precise />],
          ['To', <Said>{message.url}</Said>],
          [
            'Callback',
            callback && (
              <a href={hrefOf('callbacks', callback.id)}>
                {callback.id} of <Said>{callback.external_reference || callback.transaction}</Said>
              </a>
            ),
          ],
          [
            'Signature',
            <>
              <Verdict of={message} />{' '}
              <span class={message.signature_valid === false ? 'wrong' : 'soft'}>
                <Said>{message.signature}</Said>
              </span>
            </>,
          ],
        ]}
      />
      <section class="part">
        <h3>Body</h3>
        <Body label="Body of the message" text={message.body} file={`${name}-${id}.txt`} />
        <HeaderList
          label="Headers of the message"
          headers={Object.entries(headers).map(([header, value]) => ({ name: header, value }))}
        />
      </section>
    </Article>
  )
}
