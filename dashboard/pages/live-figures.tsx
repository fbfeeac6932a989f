import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { money } from '../core/format.ts'
import { hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { atMostEvery } from '../core/frame.ts'
import { changes, failing, isRefused, requests, transactions } from '../core/store.ts'
import { worldNow } from '../core/world-clock.ts'

/** Age in milliseconds of the world's clock up to which errors are counted. */
const LATELY = 300_000

const balance = signal<number | undefined>(undefined)

/** The Team of the last transaction, or the first one that can collect. */
const team = computed(() => transactions.value[0]?.account_id ?? settings.collector?.id)
const currency = computed(() => transactions.value[0]?.currency ?? 'KES')

const readBalance = atMostEvery(400, async () => {
  const now = session.peek()
  if (!now || team.peek() === undefined) return
  try {
    balance.value = await now.client.balance(`team:${team.peek()}:wallet:${currency.peek()}`)
  } catch {
    balance.value = undefined
  }
})

const waiting = computed(
  () =>
    transactions.value.filter(({ status, direction }) => status === 'QUEUED' && direction === 'payin').length,
)
const refused = computed(() => {
  const now = worldNow.value ?? 0
  return requests.items.value.filter((it) => isRefused(it) && now - Date.parse(it.at) < LATELY).length
})

export function Figures() {
  const booked = changes.value['posting']
  useEffect(readBalance, [booked, team.value, currency.value, session.value?.world])
  return (
    <dl class="figures">
      <Figure name={team.value === undefined ? 'Wallet' : `Wallet of ${team.value}`} href={undefined}>
        {balance.value === undefined ? '–' : money(balance.value, currency.value)}
      </Figure>
      <Figure
        name="Waiting for payers"
        href={hrefOf('tx', undefined, { status: 'QUEUED' })}
        tone={waiting.value > 0 ? 'wait' : ''}
      >
        {waiting.value}
      </Figure>
      <Figure
        name="Callbacks failing"
        href={hrefOf('callbacks', undefined, { state: 'failing' })}
        tone={failing.value > 0 ? 'bad' : ''}
      >
        {failing.value}
      </Figure>
      <Figure
        name="Rejected requests, 5 min"
        href={hrefOf('requests', undefined, { status: 'refused' })}
        tone={refused.value > 0 ? 'bad' : ''}
      >
        {refused.value}
      </Figure>
    </dl>
  )
}

interface FigureProps {
  readonly name: string
  readonly href: string | undefined
  readonly tone?: string
  readonly children: string | number
}

const Figure = ({ name, href, tone = '', children }: FigureProps) => (
  <div class="card figure">
    <dt>{href ? <a href={href}>{name}</a> : name}</dt>
    <dd class={`num ${tone}`}>{children}</dd>
  </div>
)
