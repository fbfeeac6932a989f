import type { Explanation, TriedRule } from '../../src/generated/control/types.ts'
import { act, copy } from '../core/actions.ts'
import { laidOut } from '../core/format.ts'
import { hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { useRead } from '../core/use-read.ts'
import { useKeys } from '../core/use-keys.ts'
import { Block, Button, Code, Facts, Pill, Said, Time } from '../parts/bits.tsx'
import { Empty, Loading } from '../parts/list-states.tsx'

const copyCurl = (id: string) =>
  act(async ({ client }) => copy((await client.requests.curl(id)).trim(), 'Request as curl'), 'read')

/** One request with its answer, and why it was answered so. */
export function RequestDetail({ id }: { id: string }) {
  const { client } = session.value!
  const { value: request, error, loading } = useRead(() => client.requests.get(id), [id])
  const why = useRead(() => client.requests.explain(id), [id])
  useKeys(
    [{ keys: 'c', what: 'Copy the request as curl', group: 'On what is open', run: () => void copyCurl(id) }],
    [id],
  )
  if (error)
    return (
      <Empty icon="search" title={`There is no request ${id}`}>
        <p>{error}</p>
        <p class="soft">The last 1,000 are kept.</p>
      </Empty>
    )
  if (!request) return loading ? <Loading /> : null
  const { error_message } = (request.answer ?? {}) as { error_message?: string }
  const reference = referenceOf(request.body)
  return (
    <article class="card">
      <header class="bar">
        <h2 class="mono one-line">
          {request.method} <bdi>{request.path}</bdi>
        </h2>
        <Code status={request.status} />
        <span class="actions">
          <Button needs="read" keys="c" onClick={() => void copyCurl(id)}>
            Copy as curl
          </Button>
        </span>
      </header>
      {error_message && <p class="wrong in-card">{error_message}</p>}
      <Facts
        of={[
          ['Id', request.id],
          ['At', <Time at={request.at} precise />],
          ['Operation', request.operation || 'none: the path leads nowhere'],
          ['Key', <Said>{request.username}</Said>],
          ['Took', `${request.duration_ms} ms`],
          ...(reference
            ? [
                [
                  'Transaction',
                  <a href={hrefOf('tx', reference)}>
                    <Said>{reference}</Said>
                  </a>,
                ] as const,
              ]
            : []),
        ]}
      />
      {why.value && <Why of={why.value} />}
      <section class="part">
        <h3>Request</h3>
        {hasBody(request.body) && <Block label="Body of the request" text={laidOut(request.body)} />}
        <details class="fold">
          <summary>Headers</summary>
          <Block
            label="Headers of the request"
            text={request.headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
          />
        </details>
      </section>
      <section class="part">
        <h3>Answer</h3>
        <Block label="Answer" text={laidOut(request.answer)} />
      </section>
    </article>
  )
}

const hasBody = (body: unknown) => body !== null && body !== undefined && body !== ''

function referenceOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const { external_reference, request_id, payment_config } = body as Record<string, unknown>
  const { reference } = (payment_config ?? {}) as { reference?: unknown }
  const found = external_reference ?? reference ?? request_id
  return typeof found === 'string' && found !== '' ? found : undefined
}

const decided: { readonly [by in Explanation['decided_by']]: string } = {
  header: 'the request asked for it by a header',
  queue: 'it was queued for this request',
  'switched on': 'it is switched on',
  when: 'its conditions fit',
  default: 'no scenario fitted, so it went as it usually does',
  refused: 'it was refused before any scenario was asked',
}

/** Which scenario decided, and of the others those that came nearest. */
const Why = ({ of: { decided_by, scenario, outcome, nearest } }: { of: Explanation }) => (
  <section class="part">
    <h3>Why</h3>
    <p>
      {scenario ? (
        <>
          <Pill tone="info">{scenario}</Pill> {decided[decided_by]}
          {outcome && `: ${outcome}`}.
        </>
      ) : (
        `${decided[decided_by].charAt(0).toUpperCase()}${decided[decided_by].slice(1)}.`
      )}
    </p>
    {nearest.length > 0 && (
      <details class="fold">
        <summary>What came near</summary>
        <ul class="near">
          {nearest.slice(0, 3).map((rule) => (
            <Near key={rule.scenario} rule={rule} />
          ))}
        </ul>
      </details>
    )}
  </section>
)

const Near = ({ rule: { scenario, misses } }: { rule: TriedRule }) => (
  <li>
    <b>{scenario}</b>
    {misses.map(({ field, must, value }) => (
      <span key={field} class="soft">
        <code>{field}</code> must {must}
        {value !== null && (
          <>
            , it is <code>{value}</code>
          </>
        )}
      </span>
    ))}
  </li>
)
