import type { ScenarioSample, Transaction, TransactionDetails } from '../../src/generated/control/types.ts'
import { act, settle } from '../core/actions.ts'
import { SandboxError } from '../core/api.ts'
import type { Tone } from '../core/names.ts'
import { useValue } from '../core/resource.ts'
import { hrefOf } from '../core/route.ts'
import { type Seen, checksOf, verdictOf } from '../core/scenario-files.ts'
import { type Session, session } from '../core/session.ts'
import { changes } from '../core/store.ts'
import { clock } from '../core/world-clock.ts'
import { Button, Code, Pill, Said } from '../parts/bits.tsx'
import { Loading } from '../parts/list-states.tsx'
import { useEffect, useState } from 'preact/hooks'

/** Maximum number of requests sent from here. */
const MOST = 20

interface Sent {
  readonly reference: string
  readonly status: number | undefined
  readonly body: unknown
  /** The scenario named by the response. */
  readonly met: string | null
}

let tries = 0
const freshReference = (name: string) => `${name.slice(0, 40)}-${Date.now().toString(36)}${++tries}`

/** Sends the sample requests of a scenario and checks its expectations. */
export function TryScenario({ name }: { name: string }) {
  const { client, world } = session.value!
  const { value, error } = useValue(
    () => client.scenarios.samples(name),
    [world, name],
    // A scenario that has just been deleted has no samples.
    ({ type, data }) => type === 'scenario' && Array.isArray(data['own']) && data['own'].includes(name),
  )
  if (error) return <p class="wrong">{error}</p>
  if (!value) return <Loading />
  if (value.length === 0)
    return (
      <p class="soft">
        Its file promises nothing of a request; with the word expect it can be tried from here.
      </p>
    )
  return (
    <ul class="tries">
      {value.map((sample, n) => (
        <Try key={n} name={name} sample={sample} n={n} />
      ))}
    </ul>
  )
}

function Try({ name, sample, n }: { name: string; sample: ScenarioSample; n: number }) {
  const [sent, setSent] = useState<Sent>()
  const run = () =>
    act(async (world) => {
      setSent(undefined)
      setSent(await sendAll(world, name, n, sample))
    })
  const tooMany = sample.times > MOST
  return (
    <li>
      <div class="line">
        <code class="one-line">
          {sample.method} {sample.path}
          {sample.times > 1 && `, ${sample.times} times`}
        </code>
        <Button
          kind={n === 0 ? 'main' : 'quiet'}
          disabled={tooMany}
          title={
            tooMany
              ? `${sample.times} requests are for payments-sandbox scenarios test`
              : 'Sends the request to this world'
          }
          onClick={() => void run()}
        >
          {sent ? 'Try it again' : 'Try it'}
        </Button>
      </div>
      {sent && <Outcome key={sent.reference} sample={sample} sent={sent} name={name} />}
    </li>
  )
}

async function sendAll(
  { client, transport }: Session,
  name: string,
  n: number,
  { times, expect }: ScenarioSample,
) {
  let last: Sent | undefined
  for (let time = 0; time < times; time++) {
    const reference = freshReference(name)
    const { method, path, headers, body } = (await client.scenarios.samples(name, reference))[n]!
    last = { reference, ...(await sendOne(transport, method, path, headers, body)) }
  }
  const polls = Number(expect['statusQueries'] ?? 0)
  for (let poll = 0; poll < polls; poll++)
    await transport.send('POST', '/api/global/transaction-status', { body: { request_id: last!.reference } })
  return last!
}

async function sendOne(
  transport: Session['transport'],
  method: string,
  path: string,
  headers: ScenarioSample['headers'],
  body: ScenarioSample['body'],
) {
  try {
    const answer = await transport.send(method, path, { headers, ...(body && { body }) })
    const text = await answer.text()
    return { status: answer.status, body: parsed(text), met: answer.headers.get('sandbox-scenario') }
  } catch (error) {
    if (error instanceof SandboxError) throw error
    return { status: undefined, body: undefined, met: null }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const tones = { good: 'good', bad: 'bad', wait: 'wait', 'not looked at': 'plain' } as const satisfies Record<
  string,
  Tone
>
const words = { good: 'came', bad: 'did not come', wait: 'waits', 'not looked at': 'not looked at here' }
const verdicts = {
  good: 'All expectations were met.',
  bad: 'The result differs from the expectations.',
  wait: 'Some results are pending.',
  'not looked at': 'The expectations cannot be checked here.',
}

function Outcome({ sample, sent, name }: { sample: ScenarioSample; sent: Sent; name: string }) {
  const { client, transport } = session.value!
  const [transaction, setTransaction] = useState<Transaction>()
  const [callbacks, setCallbacks] = useState<readonly unknown[]>([])
  useEffect(() => {
    let current = true
    const read = async () => {
      const path = `/sandbox/transactions/${encodeURIComponent(sent.reference)}`
      const found = await transport.send('GET', path)
      const row = found.ok ? ((await found.json()) as TransactionDetails).transaction : undefined
      const messages = await client.inbox.messages()
      const own = messages.filter(({ body }) => body.includes(sent.reference))
      if (!current) return
      setTransaction(row)
      setCallbacks(own.toReversed().map(({ body }) => parsed(body)))
    }
    void read().catch(() => {})
    return () => {
      current = false
    }
  }, [changes.value['transaction'], changes.value['inbox'], changes.value['attempt']])
  const seen: Seen = { ...sent, transaction, callbacks, owes: (clock.value?.scheduled ?? 0) > 0 }
  const checks = checksOf(sample, seen)
  const verdict = verdictOf(checks)
  const missed = sent.met !== name && sent.status !== undefined && sent.met !== null
  return (
    <div class="outcome">
      <p role="status" class={`verdict ${tones[verdict]}`}>
        {missed ? `Scenario ${sent.met} came first.` : verdicts[verdict]}
      </p>
      <table class="checks">
        <thead class="unseen">
          <tr>
            <th>What</th>
            <th>Promised</th>
            <th>So far</th>
          </tr>
        </thead>
        <tbody>
          {checks.map(({ what, wanted, got, state }) => (
            <tr key={what}>
              <th scope="row">{what}</th>
              <td>
                <code>
                  <Said>{wanted}</Said>
                </code>
                {state === 'bad' && (
                  <>
                    {' '}
                    but{' '}
                    <code>
                      <Said>{got}</Said>
                    </code>
                  </>
                )}
              </td>
              <td>
                <Pill tone={tones[state]}>{words[state]}</Pill>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="row">
        {transaction ? (
          <a class="button" href={hrefOf('tx', sent.reference)}>
            To the payment
          </a>
        ) : (
          sent.status !== undefined && (
            <span class="soft">
              Answered <Code status={sent.status} />
            </span>
          )
        )}
        {verdict === 'wait' && (
          <Button
            onClick={() => void settle()}
            title="Advances the clock until nothing is pending in this world"
          >
            Run pending jobs
          </Button>
        )}
      </div>
    </div>
  )
}
