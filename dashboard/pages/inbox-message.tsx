import type { Inbox, InboxMessage } from '../../src/generated/control/types.ts'
import { useList, useValue } from '../core/resource.ts'
import { go, hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { callbackResource } from '../core/store.ts'
import { useKeys } from '../core/use-keys.ts'
import { Body } from '../parts/body.tsx'
import { Article, Code, Facts, Pill, Said, Time } from '../parts/bits.tsx'
import { HeaderList } from '../parts/header-list.tsx'
import { Missing } from '../parts/list-states.tsx'
import { Verdict } from '../parts/verdict.tsx'

/** Loads a message, or undefined if it is no longer kept. */
async function messageOf(name: string, id: number): Promise<{ readonly message: InboxMessage | undefined }> {
  const path = `/sandbox/inbox/${encodeURIComponent(name)}`
  const query = { limit: 1, before: id + 1 }
  const { messages } = await session.peek()!.transport.ask<Inbox>('GET', path, { query })
  return { message: messages.find((each) => each.id === id) }
}

/** A received message with its signature check. */
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
          ...(callback
            ? [
                [
                  'Callback',
                  <a href={hrefOf('callbacks', callback.id)}>
                    {callback.id} of <Said>{callback.external_reference || callback.transaction}</Said>
                  </a>,
                ] as const,
              ]
            : []),
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
