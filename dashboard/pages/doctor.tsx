import type { CallbackDetails, InboxMessage, SignatureCheck } from '../../src/client/types.ts'
import type { Inbox, SignatureDiagnosis } from '../../src/generated/control/types.ts'
import { mayChange } from '../core/access.ts'
import { headerLines } from '../core/curl.ts'
import type { FormSchema } from '../core/form.ts'
import { useValue } from '../core/resource.ts'
import { hrefOf, route } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { readHeaders, sampleLanguages, sampleOf } from '../core/verify-samples.ts'
import { Block, Card, ChipButton, Facts, Pill, Said } from '../parts/bits.tsx'
import { Form } from '../parts/form.tsx'
import { Empty } from '../parts/list-states.tsx'
import { useEffect, useState } from 'preact/hooks'
import schema from 'schema:checkSignature?headers,body,secret,url,received_at'

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

export function DoctorFindings({ found }: { found: SignatureCheck | undefined }) {
  if (!found)
    return (
      <Card title="Findings">
        <Empty icon="search" title="Nothing checked yet">
          <p>
            The check shows the profile, the bytes that should have been signed, and the most likely mistake:
            another secret, a modified or re-serialised body, a wrong clock.
          </p>
        </Empty>
      </Card>
    )
  return (
    <>
      {found.diagnoses.map((each, n) => (
        <Findings key={n} of={each} />
      ))}
    </>
  )
}

const Findings = ({
  of: { profile, valid, received, expected, signed, mistakes },
}: {
  of: SignatureDiagnosis
}) => (
  <Card
    title={profile ? `Profile ${profile}` : 'No signature'}
    label="Findings"
    beside={<Pill tone={valid ? 'good' : 'bad'}>{valid ? 'valid' : 'does not hold'}</Pill>}
  >
    <ul class="plain-list" aria-label="Mistakes">
      {valid && <li>A receiver with this secret accepts it.</li>}
      {mistakes.map(({ code, message }, n) => (
        <li key={code}>
          <span>
            <b>{n === 0 ? 'Most likely' : 'And'}</b> <code>{code}</code>
          </span>
          <Said>{message}</Said>
        </li>
      ))}
    </ul>
    {received && expected && received.value !== expected.value && (
      <section class="part">
        <h3>
          Header <code>{received.header}</code>
        </h3>
        <h4>Came</h4>
        <Block label="Received signature" text={received.value} />
        <h4>Expected</h4>
        <Block label="Expected signature" text={expected.value} />
      </section>
    )}
    {signed && (
      <section class="part">
        <h3>Bytes that should have been signed</h3>
        <Block label="Bytes that should have been signed" text={signed.text} />
        <details class="fold">
          <summary>In base64</summary>
          <Block label="As base64" text={signed.base64} />
        </details>
      </section>
    )}
  </Card>
)

/** Code for a receiver that verifies this world's signatures. */
export function DoctorSamples({ found }: { found: SignatureCheck | undefined }) {
  const [language, setLanguage] = useState(sampleLanguages[0]!)
  const { client, world } = session.value!
  // Read-only keys do not see the secret.
  const { value } = useValue(
    async () => (mayChange.value ? client.signatures.show() : undefined),
    [world, mayChange.value],
  )
  const first = found?.diagnoses.find(({ profile }) => profile !== null)
  // The first of the world's profiles.
  const profile = first?.profile ?? value?.signatures.match(/[a-z][\w-]*/)?.[0] ?? 'standard'
  const sample = sampleOf(profile, language, first?.received?.header)
  if (profile === 'none') return null
  return (
    <Card
      title={`Verify ${profile}`}
      label="How to verify"
      beside={<span class="soft">the raw body, before any JSON parser</span>}
    >
      <div class="part first">
        {sample === undefined ? (
          <Otherwise profile={profile} />
        ) : (
          <>
            <div class="chips" role="group" aria-label="Language">
              {sampleLanguages.map((each) => (
                <ChipButton
                  key={each}
                  needs="read"
                  pressed={each === language}
                  onClick={() => setLanguage(each)}
                >
                  {each}
                </ChipButton>
              ))}
            </div>
            <Block label={`Verify in ${language}`} text={sample} />
          </>
        )}
      </div>
      {value && (
        <details class="fold part">
          <summary>Signing settings</summary>
          <Facts
            of={[
              ['Profiles', <code>{value.signatures}</code>],
              ['Secret', <code>{value.secret}</code>],
            ]}
          />
          {value.public_keys.map(({ keyid, pem }) => (
            <Block key={keyid} label={`Public key ${keyid}`} text={pem} />
          ))}
        </details>
      )}
    </Card>
  )
}

const Otherwise = ({ profile }: { profile: string }) => (
  <p>
    {profile === 'token'
      ? 'A token is not a signature: compare the header with the secret in constant time.'
      : profile === 'rfc9421'
        ? 'Verify with a library of RFC 9421, such as http-message-signatures, and the public key below; compare Content-Digest with the body yourself.'
        : 'Build the bytes by the template of your settings, as shown above, and compare in constant time.'}{' '}
    <a href={`${settings.at}/docs/guides/signatures`}>More on signatures</a>
  </p>
)
