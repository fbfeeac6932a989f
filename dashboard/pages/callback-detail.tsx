import type { CallbackAttempt, FireCallbackRequest } from '../../src/generated/control/types.ts'
import { advance, resend, runDue } from '../core/actions.ts'
import { lasting } from '../core/times.ts'
import { headerLines, quoted } from '../core/curl.ts'
import { laidOut } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { go, hrefOf, page } from '../core/route.ts'
import { session } from '../core/session.ts'
import { clock, worldNow } from '../core/world-clock.ts'
import { useKeys } from '../core/hooks.ts'
import { Body } from '../parts/body.tsx'
import { Article, Block, Button, Code, Facts, Pill, Said, Time } from '../parts/bits.tsx'
import { Missing } from '../parts/list-states.tsx'
import { CallbackState } from '../parts/callbacks.tsx'
import schema from 'schema:fireCallback?fault,shape,after,copies,method,content_type,padding,url'
import { Form } from '../parts/form.tsx'

export function CallbackDetail({ id }: { id: number }) {
  const { value, error, loading } = useValue(
    () => session.peek()!.client.callbacks.get(id),
    [id],
    ['callback', 'attempt'],
  )
  useKeys(
    [
      { keys: 'r', what: 'Resend the callback', group: 'Open item', run: () => void resend(id) },
      {
        keys: 'e',
        what: 'Check the signature',
        group: 'Open item',
        run: () => go(hrefOf('doctor', undefined, { callback: String(id) })),
      },
    ],
    [id],
  )
  if (error || !value) return <Missing title={`Callback ${id} not found`} words={error} loading={loading} />
  const { callback, attempts } = value
  const reference = callback.external_reference || callback.transaction
  return (
    <Article
      title={`Callback ${callback.id}`}
      beside={<CallbackState of={callback} />}
      actions={
        <Button keys="r" onClick={() => void resend(id)}>
          Resend
        </Button>
      }
    >
      <Facts
        of={[
          [
            'Of',
            <a href={hrefOf('tx', reference)}>
              <Said>{reference}</Said>
            </a>,
          ],
          ['To', <Said>{callback.url}</Said>],
          ['Created', <Time at={callback.created_at} />],
          ['Next attempt', callback.next_attempt_at && <NextAttempt at={callback.next_attempt_at} />],
          [
            'Waits for',
            callback.blocked_by !== null && (
              <>
                <a href={hrefOf('callbacks', callback.blocked_by)}>callback {callback.blocked_by}</a>, which
                comes before it
              </>
            ),
          ],
          ['Event id', <code>{callback.event_id}</code>],
          ['Fault', callback.fault],
        ]}
      />
      <section class="part">
        <h3>{attempts.length === 0 ? 'No attempts yet' : 'Attempts'}</h3>
        <ol class="attempts">
          {attempts.toReversed().map((attempt, n) => (
            <Attempt key={attempt.number} attempt={attempt} of={id} open={n === 0} />
          ))}
        </ol>
      </section>
      <section class="part">
        <h3>Payload</h3>
        <Body label="Payload" text={value.body} file={`callback-${id}.txt`} />
      </section>
      <FireForm reference={callback.transaction} />
    </Article>
  )
}

function NextAttempt({ at }: { at: string }) {
  const left = Date.parse(at) - (worldNow.value ?? 0)
  return (
    <span class="row tight">
      <Time at={at} />
      <span class="soft num">{left > 0 ? `in ${lasting(left)}` : 'due now'}</span>
      {left > 0 ? (
        <Button kind="quiet" onClick={() => void advance(new Date(at))}>
          Advance to it
        </Button>
      ) : (
        clock.value?.frozen && (
          <Button kind="quiet" onClick={() => void runDue()}>
            Run what is due
          </Button>
        )
      )}
    </span>
  )
}

function Attempt({ attempt, of, open }: { attempt: CallbackAttempt; of: number; open: boolean }) {
  const { number, at, duration_ms, response: answer, error, advice, request, url } = attempt
  return (
    <li>
      <details open={open}>
        <summary>
          <span>Attempt {number}</span>
          <Time at={at} />
          <span class="soft num">{lasting(duration_ms)}</span>
          {answer ? <Code status={answer.status} /> : <Pill tone="bad">no response</Pill>}
        </summary>
        {error && <p class="wrong">{error}</p>}
        {advice && <p class="advice">{advice}</p>}
        <p>
          <a href={hrefOf('doctor', undefined, { callback: String(of), attempt: String(number) })}>
            Check the signature
          </a>
        </p>
        <h4>Request</h4>
        <Block label={`Attempt ${number} by curl`} text={curlOf(url, request.headers, request.body)}>
          {`POST ${url}\n${headerLines(request.headers)}`}
        </Block>
        {answer && (
          <>
            <h4>Answer</h4>
            <Block
              label={`Response to attempt ${number}`}
              text={[String(answer.status), headerLines(answer.headers), '', laidOut(answer.body)]
                .join('\n')
                .trim()}
            />
          </>
        )}
      </details>
    </li>
  )
}

const NOT_SENT = ['host', 'content-length', 'user-agent', 'cdn-loop']

/** Returns a command that sends the same bytes. */
function curlOf(url: string, headers: { readonly [name: string]: string }, body: string): string {
  const sent = Object.entries(headers).filter(([name]) => !NOT_SENT.includes(name.toLowerCase()))
  return [
    `curl -X POST ${quoted(url)}`,
    ...sent.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ')
}

/** Sends a callback for the transaction's current state, such as a faulty one. */
export const FireForm = ({ reference }: { reference: string }) => (
  <section class="part">
    <h3>Send a callback</h3>
    <Form<FireCallbackRequest>
      of={schema}
      row
      action="Send"
      send={async (body) => {
        const { callback } = await session.peek()!.client.callbacks.fire({ ...body, reference })
        if (page.peek() === 'callbacks') go(hrefOf('callbacks', callback.id))
        return `Callback ${callback.id} is on its way.`
      }}
    />
    <p class="soft small">
      Scenarios cover the rest: <a href={hrefOf('scenarios', 'callbacks-out-of-order')}>out of order</a>,{' '}
      <a href={hrefOf('scenarios', 'callback-before-response')}>before the response</a>,{' '}
      <a href={hrefOf('scenarios', 'callback-lost')}>never</a>.
    </p>
  </section>
)
