import type { CallbackGroup, Overview, Prompt, RequestGroup } from '../../src/generated/control/types.ts'
import { act } from '../core/actions.ts'
import { newPayment } from '../core/dialogs.ts'
import { counted, money, phone, shortTimeOf, shortUrl } from '../core/format.ts'
import { useKeys, useRoomy } from '../core/hooks.ts'
import { handsetBeside, overview, showHandset, useHandsetAtPrompt } from '../core/overview.ts'
import { hrefOf } from '../core/route.ts'
import { happenings } from '../core/store.ts'
import { Button, Card, Said } from '../parts/bits.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Loading, atNeed } from '../parts/list-states.tsx'
import { Activity } from './activity.tsx'
import { FirstPayment } from './transactions.tsx'
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

/** The report that was shown when the page was held; undefined while it follows the world. */
const held = signal<Overview | undefined>(undefined)
const hold = () => void (held.value = held.peek() ? undefined : overview.peek())

/** What needs attention, the last minutes, and the newest payments. */
export function Home() {
  useKeys([{ keys: '.', what: 'Hold the page, or let it go on', group: 'In a list', run: hold }], [])
  useHandsetAtPrompt()
  const roomy = useRoomy()
  const beside = roomy && handsetBeside.value
  const shown = held.value ?? overview.value
  return (
    <>
      <header class="head">
        <h1>Home</h1>
        <div class="actions">
          <Button
            needs="read"
            icon={held.value ? 'play' : 'pause'}
            keys="."
            pressed={held.value !== undefined}
            onClick={hold}
          >
            {held.value ? 'Go on' : 'Hold'}
          </Button>
          {roomy && (
            <Button
              needs="read"
              icon="phone"
              pressed={handsetBeside.value}
              onClick={() => showHandset(!handsetBeside.value)}
            >
              Handset
            </Button>
          )}
          <Button kind="main" icon="plus" keys="n" onClick={() => newPayment()}>
            New payment
          </Button>
        </div>
      </header>
      <div class={beside ? 'with-handset' : ''}>
        <div class="stack-cards">
          {!shown ? (
            <Loading />
          ) : (
            <>
              <Needs of={shown} />
              {shown.payments.length > 0 && <Minutes of={shown} />}
              {shown.payments.length > 0 || happenings.value.length > 0 ? (
                <Activity of={shown.payments} />
              ) : (
                <FirstPayment />
              )}
            </>
          )}
        </div>
        {beside && <LiveHandset />}
      </div>
    </>
  )
}

/** Loaded with the first prompt. */
const LiveHandset = atNeed(async () => (await import('../parts/handset.tsx')).LiveHandset)

const MOST_PROMPTS = 2

function Needs({ of }: { of: Overview }) {
  const { prompts, kyc, failing_callbacks, rejected_requests, abandoned_jobs } = of
  const more = prompts.total - MOST_PROMPTS
  const nothing =
    prompts.total + kyc.total + failing_callbacks.total + rejected_requests.total + abandoned_jobs === 0
  return (
    <Card
      title={nothing ? 'Nothing needs you' : 'Needs you now'}
      label="Needs attention"
      beside={
        nothing && <span class="soft">No prompt waits, no callback fails, and no request was rejected.</span>
      }
    >
      {!nothing && (
        <ul class="needs">
          {prompts.prompts.slice(0, MOST_PROMPTS).map((prompt) => (
            <Waiting key={prompt.id} of={prompt} />
          ))}
          {more > 0 && (
            <Need
              icon="phone"
              tone="wait"
              title={`${counted(more, 'more prompt')} waiting`}
              href={hrefOf('phone')}
              action="Show"
            />
          )}
          {kyc.total > 0 && (
            <Need
              icon="people"
              tone="wait"
              title={`${counted(kyc.total, 'KYC submission')} to review`}
              href={hrefOf('kyc')}
              action="Review"
            />
          )}
          {failing_callbacks.groups.map((group) => (
            <FailingCallbacks key={group.id} of={group} />
          ))}
          {rejected_requests.groups.map((group) => (
            <RejectedRequests key={group.id} of={group} />
          ))}
          {abandoned_jobs > 0 && (
            <Need
              icon="warn"
              tone="bad"
              title={`${counted(abandoned_jobs, 'job')} given up`}
              href={hrefOf('jobs', undefined, { state: 'abandoned' })}
              action="Show"
            />
          )}
        </ul>
      )}
    </Card>
  )
}

interface NeedProps {
  readonly icon: IconName
  readonly tone: 'wait' | 'bad'
  readonly title: ComponentChildren
  readonly about?: ComponentChildren
  readonly href: string
  readonly action: string
  /** Precedes the link. */
  readonly children?: ComponentChildren
}

const Need = ({ icon, tone, title, about, href, action, children }: NeedProps) => (
  <li>
    <span class={`badge ${tone}`}>
      <Icon name={icon} />
    </span>
    <div>
      <p>{title}</p>
      {about && <p class="soft small">{about}</p>}
    </div>
    <span class="actions">
      {children}
      <a class="button" href={href}>
        {action}
      </a>
    </span>
  </li>
)

const Waiting = ({ of: prompt }: { of: Prompt }) => (
  <Need
    icon="phone"
    tone="wait"
    title={
      <>
        <b class="num">
          <Said>{phone(prompt.phone)}</Said>
        </b>{' '}
        waits for its PIN: {money(prompt.amount, prompt.currency)},{' '}
        <Said>{prompt.external_reference || prompt.id}</Said>
      </>
    }
    href={hrefOf('phone', prompt.phone)}
    action="Answer it"
  />
)

const times = (count: number) =>
  count === 1 ? 'once' : count === 2 ? 'twice' : `${count.toLocaleString('en')} times`

/** `12 times with 500 since 10:36` */
const extent = ({ count, status, since }: { count: number; status: number | null; since: string }) =>
  `${times(count)} ${status === null ? 'without a response' : `with ${status}`} since ${shortTimeOf(new Date(since))}`

function FailingCallbacks({ of: group }: { of: CallbackGroup }) {
  const { id, url, count, pending, cause, advice, newest } = group
  const resend = () =>
    void act(async ({ client }) => {
      const { resent } = await client.callbacks.resendAll({ group: id })
      return `${counted(resent, 'callback')} resent.`
    })
  return (
    <Need
      icon="callbacks"
      tone="bad"
      title={
        <>
          <b>
            <Said>{shortUrl(url)}</Said>
          </b>{' '}
          failed {extent(group)}
          {cause && (
            <>
              :{' '}
              <q class="mono">
                <Said>{cause}</Said>
              </q>
            </>
          )}
        </>
      }
      about={advice || (pending > 0 && `${pending === count ? 'All' : pending} will be retried.`)}
      href={count === 1 ? hrefOf('callbacks', newest) : hrefOf('callbacks', undefined, { group: id })}
      action="Show"
    >
      <Button onClick={resend}>{count === 1 ? 'Resend' : `Resend ${count.toLocaleString('en')}`}</Button>
    </Need>
  )
}

const RejectedRequests = ({ of: group }: { of: RequestGroup }) => (
  <Need
    icon="requests"
    tone="bad"
    title={
      <>
        <b class="mono">
          {group.method} <Said>{group.path}</Said>
        </b>{' '}
        was rejected {extent(group)}
      </>
    }
    about={<Said>{group.cause}</Said>}
    href={
      group.count === 1
        ? hrefOf('requests', group.newest)
        : hrefOf('requests', undefined, { group: group.id })
    }
    action="Show"
  />
)

const outcomes = ['failed', 'queued', 'succeeded'] as const
const tones = { succeeded: 'good', queued: 'wait', failed: 'bad' } as const

function Minutes({ of: { minutes } }: { of: Overview }) {
  const sum = (name: (typeof outcomes)[number] | 'rejected_requests') =>
    minutes.reduce((total, minute) => total + minute[name], 0)
  const most = Math.max(1, ...minutes.map(({ succeeded, queued, failed }) => succeeded + queued + failed))
  const said = [
    counted(sum('succeeded') + sum('queued') + sum('failed'), 'payment'),
    sum('failed') > 0 && `${sum('failed')} failed`,
    sum('queued') > 0 && `${sum('queued')} pending`,
    sum('rejected_requests') > 0 && counted(sum('rejected_requests'), 'rejected request'),
  ].filter(Boolean)
  return (
    <section class="card minutes" aria-label="The last 15 minutes">
      <p>
        <b>Last 15 minutes</b>
        <span class="soft">{said.join(', ')}</span>
      </p>
      <div class="bars" role="img" aria-label={`Payments per minute: ${said.join(', ')}`}>
        {minutes.map((minute) => (
          <span
            key={minute.at}
            title={`${shortTimeOf(new Date(minute.at))}: ${minute.succeeded} succeeded, ${minute.failed} failed, ${minute.queued} pending, ${minute.rejected_requests} rejected requests`}
          >
            {outcomes.map((name) => (
              <i key={name} class={tones[name]} style={{ height: `${(100 * minute[name]) / most}%` }} />
            ))}
            {minute.rejected_requests > 0 && <em />}
          </span>
        ))}
      </div>
      <p class="soft small num" aria-hidden="true">
        <span>{shortTimeOf(new Date(minutes[0]!.at))}</span>
        <span>{shortTimeOf(new Date(minutes.at(-1)!.at))}</span>
      </p>
    </section>
  )
}
