import { useEffect, useState } from 'preact/hooks'
import type { CallbackDetails, InboxMessage, SignatureCheck } from '../../src/client/types.ts'
import type { Inbox } from '../../src/generated/control/types.ts'
import schema from 'schema:checkSignature?headers,body,secret,url,received_at'
import type { FormSchema } from '../core/form.ts'
import { headerLines, readHeaders } from '../core/pasted-headers.ts'
import { useValue } from '../core/resource.ts'
import { hrefOf, route } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Form } from '../parts/form.tsx'
import { DoctorFindings } from './doctor-findings.tsx'
import { DoctorSamples } from './doctor-samples.tsx'

/** The message to check; its headers are one text. */
interface Message {
  readonly headers: string
  readonly body: string
  readonly url?: string
  readonly secret?: string
  readonly received_at?: string
}

const HEADERS = 'webhook-id: msg_…\nwebhook-timestamp: 1782780293\nwebhook-signature: v1,…'

const pasted: FormSchema = {
  ...schema,
  fields: { ...schema.fields, headers: { kind: 'text', required: true }, body: { kind: 'text' } },
}

/** Checks the signature of a received callback and explains mistakes. */
export function Doctor() {
  const { query } = route.value
  const { client, world } = session.value!
  const [found, setFound] = useState<SignatureCheck | undefined>()
  const picked = useValue(() => pick(query), [world, query])
  const examine = async ({ headers: lines, body = '', ...rest }: Message) => {
    setFound(undefined)
    const { headers, unread } = readHeaders(lines)
    if (unread.length > 0) throw new Error(`headers have the form "webhook-id: msg_1", got: ${unread[0]}`)
    setFound(await client.signatures.check({ headers, body, ...rest }))
  }
  useEffect(() => {
    setFound(undefined)
    if (picked.value) void examine(picked.value).catch(() => {})
  }, [picked.value])

  return (
    <>
      <header class="head">
        <h1>Signature doctor</h1>
        <Origin query={query} />
      </header>
      <div class="halves">
        <Form<Message>
          key={JSON.stringify(query)}
          of={pasted}
          fields={{
            headers: { label: 'Received headers', help: false, input: { rows: 7 }, placeholder: HEADERS },
            body: { label: 'Raw body', help: false, input: { rows: 6 }, placeholder: '{"success":true,…}' },
            secret: { label: 'Secret of your receiver', placeholder: "this world's" },
            url: { label: 'Called address' },
            received_at: { placeholder: 'now, or for example 2026-06-30T00:44:53Z' },
          }}
          label="Received message"
          class="card doctor"
          needs="read"
          {...(picked.value && { initial: picked.value })}
          keep
          action="Examine"
          send={examine}
        >
          {() => picked.error && <p class="wrong">{picked.error}</p>}
        </Form>
        <div class="stack-cards">
          <DoctorFindings found={found} />
          <DoctorSamples found={found} />
        </div>
      </div>
    </>
  )
}

type Query = { readonly [name: string]: string }

/** Where the message was selected. */
function Origin({ query: { callback, attempt, inbox, message } }: { query: Query }) {
  const link = callback
    ? [hrefOf('callbacks', callback), `Attempt ${attempt} of callback ${callback}`]
    : inbox
      ? [hrefOf('inbox', `${inbox}/${message}`), `Message ${message} of inbox ${inbox}`]
      : undefined
  return (
    <div class="actions">
      {link ? (
        <>
          <a href={link[0]}>{link[1]}</a>
          <a class="button" href={hrefOf('doctor')}>
            Another
          </a>
        </>
      ) : (
        <span class="soft">Paste a received message, or open one from an attempt or inbox.</span>
      )}
    </div>
  )
}

/** Loads the attempt or inbox message that the address names. */
async function pick({ callback, attempt, inbox, message }: Query): Promise<Message | undefined> {
  const { transport } = session.peek()!
  if (callback) {
    const { attempts } = await transport.ask<CallbackDetails>(
      'GET',
      `/sandbox/callbacks/${encodeURIComponent(callback)}`,
    )
    const one = attempts.find(({ number }) => String(number) === attempt) ?? attempts.at(-1)
    if (!one) throw new Error(`callback ${callback} has not been sent yet`)
    const { headers, body } = one.request
    return { headers: headerLines(headers), body, url: one.url, received_at: one.sent_at }
  }
  if (inbox) {
    const query = { limit: 1, before: Number(message) + 1 }
    const path = `/sandbox/inbox/${encodeURIComponent(inbox)}`
    const { messages } = await transport.ask<Inbox>('GET', path, { query })
    const one = messages.find(({ id }: InboxMessage) => String(id) === message)
    if (!one) throw new Error(`inbox ${inbox} no longer has message ${message}`)
    const { headers, body, url, received_at } = one
    return { headers: headerLines(headers), body, url, received_at }
  }
  return undefined
}
