import type { RecordedRequest } from '../../src/client/types.ts'
import type { Explanation, TriedRule } from '../../src/generated/control/types.ts'
import { act, copy } from '../core/actions.ts'
import { sendAgain, whyNotAgain, withKey } from '../core/curl.ts'
import { scenarioDraft } from '../core/dialogs.ts'
import { counted, laidOut } from '../core/format.ts'
import { useKeys } from '../core/hooks.ts'
import { useValue } from '../core/resource.ts'
import { go, hrefOf, route } from '../core/route.ts'
import { scenarioOf } from '../core/scenario-files.ts'
import { session } from '../core/session.ts'
import { Button, Code, Facts, HeaderList, Pill, Said, Time } from '../parts/bits.tsx'
import { Body } from '../parts/body.tsx'
import { curlUser } from '../parts/curl.tsx'
import { Empty, Loading } from '../parts/list-states.tsx'

/** Contains the window's key if it is public. */
const copyCurl = (id: string) =>
  act(
    async ({ client }) =>
      copy(withKey((await client.requests.curl(id)).trim(), curlUser()), 'Request as curl'),
    'read',
  )

const again = (request: RecordedRequest) =>
  act(async (world) => {
    const { id, status } = await sendAgain(world, request)
    if (id) go(hrefOf('requests', id, route.peek().query))
    return `Response: ${status}.`
  })

function makeScenario(request: RecordedRequest) {
  scenarioDraft.value = scenarioOf(request)
  go(hrefOf('scenarios', 'new'))
}

/** Opens the rules that nearly matched. */
function explain() {
  const why = document.querySelector<HTMLElement>('.why')
  for (const fold of why?.querySelectorAll<HTMLDetailsElement>(':scope > details') ?? []) fold.open = true
  why?.scrollIntoView({ block: 'nearest' })
  why?.focus()
}

export function RequestDetail({ id }: { id: string }) {
  const { client } = session.value!
  const { value: request, error, loading } = useValue(() => client.requests.get(id), [id])
  const why = useValue(() => client.requests.explain(id), [id])
  useKeys(
    [
      { keys: 'c', what: 'Copy the request as curl', group: 'Open item', run: () => void copyCurl(id) },
      { keys: 'e', what: 'Explain how it was decided', group: 'Open item', run: explain },
    ],
    [id],
  )
  if (error)
    return (
      <Empty icon="search" title={`Request ${id} not found`}>
        <p>{error}</p>
        <p class="soft">The last 1,000 requests are kept.</p>
      </Empty>
    )
  if (!request) return loading ? <Loading /> : null
  const { error_message } = (request.response ?? {}) as { error_message?: string }
  const reference = referenceOf(request.body)
  const notAgain = whyNotAgain(request)
  return (
    <article class="card">
      <header class="bar">
        <h2 class="mono one-line">
          {request.method} <bdi>{request.path}</bdi>
        </h2>
        <Code status={request.status} />
      </header>
      <div class="in-card row">
        <Button needs="read" keys="c" onClick={() => void copyCurl(id)}>
          Copy as curl
        </Button>
        <Button
          disabled={notAgain !== undefined}
          {...(notAgain && { title: notAgain })}
          onClick={() => void again(request)}
        >
          Send again
        </Button>
        {request.operation && (
          <Button onClick={() => makeScenario(request)}>Create a scenario from it</Button>
        )}
      </div>
      {error_message && <p class="wrong in-card">{error_message}</p>}
      <Facts
        of={[
          ['Id', request.id],
          ['At', <Time at={request.at} precise />],
          ['Operation', request.operation || 'none: unknown path'],
          ['Key', <Said>{request.username}</Said>],
          ['Took', `${request.duration_ms} ms`],
          [
            'Payment',
            Boolean(reference) && (
              <a href={hrefOf('tx', reference)}>
                <Said>{reference}</Said>
              </a>
            ),
          ],
        ]}
      />
      {why.value && <Why of={why.value} />}
      <section class="part">
        <h3>Request</h3>
        {hasBody(request.body) && (
          <Body label="Body of the request" text={textOf(request.body)} file={`${id}-request.txt`} />
        )}
        <HeaderList label="Headers of the request" headers={request.headers} />
      </section>
      <section class="part">
        <h3>Answer</h3>
        <Body
          label="Answer"
          text={hasBody(request.response) ? textOf(request.response) : ''}
          file={`${id}-answer.txt`}
        />
      </section>
    </article>
  )
}

const textOf = (body: unknown) => (typeof body === 'string' ? body : laidOut(body))

const hasBody = (body: unknown) => body !== null && body !== undefined && body !== ''

function referenceOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const { external_reference, request_id, payment_config } = body as Record<string, unknown>
  const { reference } = (payment_config ?? {}) as { reference?: unknown }
  const found = external_reference ?? reference ?? request_id
  return typeof found === 'string' && found !== '' ? found : undefined
}

const decided: { readonly [by in Explanation['decided_by']]: string } = {
  header: 'the request selected it by a header',
  queue: 'it was queued for this request',
  enabled: 'it is on',
  when: 'its conditions match',
  default: 'no scenario matched, so the default applied',
  rejected: 'it was rejected before any scenario was evaluated',
}

/** Maximum number of nearly matching rules shown unfolded. */
const NEAREST = 3

export function Why({
  of: { decided_by, scenario, outcome, overridden, incidents, rules: tried, nearest },
}: {
  of: Explanation
}) {
  const first = nearest[0]
  const missed = tried
    .filter(({ matched, scenario: name }) => !matched && name !== first?.scenario)
    .toSorted((one, other) => one.misses.length - other.misses.length)
  const all = first ? [first, ...missed] : missed
  const rest = all.slice(NEAREST)
  return (
    <section class="part why" tabIndex={-1} aria-label="Why this response">
      <h3>Why</h3>
      <p>
        {scenario ? (
          <>
            <a href={hrefOf('scenarios', scenario)}>
              <Pill tone="info">{scenario}</Pill>
            </a>{' '}
            {decided[decided_by]}
            {outcome && `: ${outcome}`}.
          </>
        ) : (
          `${decided[decided_by].charAt(0).toUpperCase()}${decided[decided_by].slice(1)}.`
        )}
      </p>
      {overridden.length > 0 && (
        <p class="soft">
          It went before <Said>{overridden.join(', ')}</Said>, which also matched.
        </p>
      )}
      {incidents.map((name) => (
        <p key={name}>
          The incident <a href={hrefOf('incidents', name)}>{name}</a>, which runs in this world, changed it
          {!scenario && outcome && `: ${outcome}`}.
        </p>
      ))}
      {all.length > 0 && (
        <details class="fold">
          <summary>Near matches</summary>
          <ul class="near">
            {all.slice(0, NEAREST).map((rule) => (
              <Near key={rule.scenario} rule={rule} />
            ))}
          </ul>
          {rest.length > 0 && (
            <details class="fold">
              <summary>{counted(rest.length, 'other')}</summary>
              <ul class="near">
                {rest.map((rule) => (
                  <Near key={rule.scenario} rule={rule} />
                ))}
              </ul>
            </details>
          )}
        </details>
      )}
    </section>
  )
}

const Near = ({ rule: { scenario, misses } }: { rule: TriedRule }) => (
  <li>
    <b>{scenario}</b>
    {misses.map(({ field, must, value }) => (
      <span key={field} class="soft">
        <code>{field}</code> must {must.replace(/^must /, '')}
        {value !== null && (
          <>
            , it is{' '}
            <code>
              <Said>{value}</Said>
            </code>
          </>
        )}
      </span>
    ))}
  </li>
)
