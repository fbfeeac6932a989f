import { useEffect, useState } from 'preact/hooks'
import type { CallbackDetails, InboxMessage, SignatureCheck } from '../../src/client/types.ts'
import type { Inbox } from '../../src/generated/control/types.ts'
import { wordsOf } from '../core/api.ts'
import { headerLines, readHeaders } from '../core/pasted-headers.ts'
import { useValue } from '../core/resource.ts'
import { hrefOf, route } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Button } from '../parts/bits.tsx'
import { DoctorFindings } from './doctor-findings.tsx'
import { DoctorSamples } from './doctor-samples.tsx'

/** The message to check. */
interface Patient {
  readonly headers: string
  readonly body: string
  readonly url: string
  readonly secret: string
  /** In real time; empty means now. */
  readonly received_at: string
}

const nobody: Patient = { headers: '', body: '', url: '', secret: '', received_at: '' }

/** Checks the signature of a received callback and explains mistakes. */
export function Doctor() {
  const { query } = route.value
  const { client, world } = session.value!
  const [patient, setPatient] = useState<Patient>(nobody)
  const [found, setFound] = useState<SignatureCheck | undefined>()
  const [wrong, setWrong] = useState('')
  const picked = useValue(() => pick(query), [world, query])
  const set = (change: Partial<Patient>) => setPatient({ ...patient, ...change })

  const examine = async (of: Patient) => {
    setWrong('')
    const { headers, unread } = readHeaders(of.headers)
    if (unread.length > 0) {
      setFound(undefined)
      return setWrong(`Headers have the form "webhook-id: msg_1", got: ${unread[0]}`)
    }
    try {
      const { body, url, secret, received_at } = of
      const asked = { ...(url && { url }), ...(secret && { secret }), ...(received_at && { received_at }) }
      setFound(await client.signatures.check({ headers, body, ...asked }))
    } catch (error) {
      setFound(undefined)
      setWrong(wordsOf(error))
    }
  }
  useEffect(() => {
    if (!picked.value) return
    setPatient(picked.value)
    setFound(undefined)
    if (picked.value.headers !== '') void examine(picked.value)
  }, [picked.value])

  return (
    <>
      <header class="head">
        <h1>Signature doctor</h1>
        <Origin query={query} />
      </header>
      <div class="halves">
        <form
          class="card fields doctor"
          aria-label="Received message"
          onSubmit={(event) => {
            event.preventDefault()
            void examine(patient)
          }}
        >
          <label>
            Received headers
            <textarea
              class="mono"
              rows={7}
              required
              spellcheck={false}
              placeholder={'webhook-id: msg_…\nwebhook-timestamp: 1782780293\nwebhook-signature: v1,…'}
              value={patient.headers}
              onInput={({ currentTarget: { value } }) => set({ headers: value })}
            />
          </label>
          <label>
            Raw body
            <textarea
              class="mono"
              rows={6}
              spellcheck={false}
              placeholder={'{"success":true,…}'}
              value={patient.body}
              onInput={({ currentTarget: { value } }) => set({ body: value })}
            />
          </label>
          <details class="fold" open={patient.secret !== ''}>
            <summary>Other secret, address or time</summary>
            <div class="fields">
              <label>
                Secret of your receiver
                <input
                  autocomplete="off"
                  spellcheck={false}
                  placeholder="this world's"
                  value={patient.secret}
                  onInput={({ currentTarget: { value } }) => set({ secret: value })}
                />
              </label>
              <label>
                Called address
                <input
                  type="url"
                  autocomplete="off"
                  placeholder="only used by rfc9421 and some custom profiles"
                  value={patient.url}
                  onInput={({ currentTarget: { value } }) => set({ url: value })}
                />
              </label>
              <label>
                When it arrived, in real time
                <input
                  autocomplete="off"
                  placeholder="now, or for example 2026-06-30T00:44:53Z"
                  value={patient.received_at}
                  onInput={({ currentTarget: { value } }) => set({ received_at: value.trim() })}
                />
              </label>
            </div>
          </details>
          <Button kind="main" type="submit">
            Examine
          </Button>
          {(wrong || picked.error) && (
            <p class="wrong" role="alert">
              {wrong || picked.error}
            </p>
          )}
        </form>
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
async function pick({ callback, attempt, inbox, message }: Query): Promise<Patient> {
  const { transport } = session.peek()!
  if (callback) {
    const { attempts } = await transport.ask<CallbackDetails>(
      'GET',
      `/sandbox/callbacks/${encodeURIComponent(callback)}`,
    )
    const one = attempts.find(({ number }) => String(number) === attempt) ?? attempts.at(-1)
    if (!one) throw new Error(`callback ${callback} has not been sent yet`)
    const { headers, body } = one.request
    return { ...nobody, headers: headerLines(headers), body, url: one.url, received_at: one.sent_at }
  }
  if (inbox) {
    const query = { limit: 1, before: Number(message) + 1 }
    const path = `/sandbox/inbox/${encodeURIComponent(inbox)}`
    const { messages } = await transport.ask<Inbox>('GET', path, { query })
    const one = messages.find(({ id }: InboxMessage) => String(id) === message)
    if (!one) throw new Error(`inbox ${inbox} no longer has message ${message}`)
    const { headers, body, url, received_at } = one
    return { ...nobody, headers: headerLines(headers), body, url, received_at }
  }
  return nobody
}
