import type { Team } from '../../src/client/types.ts'
import type { FundRequest } from '../../src/generated/control/types.ts'
import schema from 'schema:fundTeam?wallet,amount'
import { newPayment } from '../core/dialogs.ts'
import { money } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Article, Button, Facts, Pill, Said } from '../parts/bits.tsx'
import { Form } from '../parts/form.tsx'
import { Missing } from '../parts/list-states.tsx'
import { TeamChannels } from './team-channels.tsx'
import { TeamMembers } from './team-members.tsx'

export function TeamDetail({ id }: { id: string }) {
  const { client, world } = session.value!
  const { value, error, again } = useValue(
    () => client.teams.get(Number(id)),
    [world, id],
    ['team', 'channel', 'posting', 'transaction', 'kyc', 'invitation', 'settings'],
  )
  if (!value) return <Missing title={`Team ${id} not found`} words={error} loading={!error} />
  const { team, members } = value
  return (
    <Article
      title={team.name}
      beside={<Pill tone={team.status === 'active' ? 'good' : 'plain'}>{team.status}</Pill>}
      actions={
        <Button icon="plus" onClick={() => newPayment({ account_id: String(team.id) })}>
          New payment
        </Button>
      }
    >
      <Facts
        of={[
          ['Id', `${team.id}`],
          ['Slug', <Said>{team.uuid}</Said>],
          [
            'Organization',
            <>
              <Said>{team.organization.name}</Said> ({team.organization.id})
            </>,
          ],
          ['Country', team.country || 'none (no phone)'],
          ['Owner', team.owner ? <Said>{`${team.owner.name}, ${team.owner.email}`}</Said> : 'none'],
          ['Mail', <Said>{team.email || 'none'}</Said>],
          [
            'KYC',
            <a href={hrefOf('kyc')}>
              tier {team.kyc_tier}, {team.kyc_verified ? 'verified' : 'not verified'}
            </a>,
          ],
        ]}
      />
      <Wallets of={team} again={again} />
      <Limits of={team} />
      <TeamChannels of={team} again={again} />
      <TeamMembers of={team} members={members} />
      <Costs of={team} />
    </Article>
  )
}

function Wallets({ of: { id, currency, wallets }, again }: { of: Team; again: () => void }) {
  return (
    <section class="part">
      <h3>Wallets</h3>
      <dl class="facts bare">
        {wallets.map(({ account, wallet: name, balance, currency: of }) => (
          <div key={account}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>
              <a
                class="num"
                href={
                  name === 'in_transit' || name === 'debt'
                    ? hrefOf('ledger')
                    : hrefOf('statements', undefined, { team: String(id), wallet: name, currency: of })
                }
              >
                {money(balance.amount, balance.currency)}
              </a>
            </dd>
          </div>
        ))}
      </dl>
      <details class="fold">
        <summary>Add money</summary>
        <Form<FundRequest>
          of={schema}
          fields={{ wallet: { none: false }, amount: { label: `Amount, ${currency}` } }}
          initial={{ wallet: 'wallet' }}
          row
          action="Add"
          send={async (body) => {
            const { balance } = await session.peek()!.client.fund(id, body)
            again()
            return `New balance: ${money(balance, currency)}.`
          }}
        />
      </details>
    </section>
  )
}

const directions = { payin: 'Collected today', payout: 'Paid out today' } as const

function Limits({ of: { limits, currency } }: { of: Team }) {
  const { per_day, per_transaction, today, wallet_collections_allowed, payouts_allowed, kyc_tier } = limits
  return (
    <section class="part">
      <h3>Limits of tier {kyc_tier}</h3>
      <p class="soft">
        A payment up to {money(per_transaction.amount, per_transaction.currency)};{' '}
        {wallet_collections_allowed ? 'collects into its wallet' : 'collects into channels only'},{' '}
        {payouts_allowed ? 'pays out' : 'does not pay out'}.
      </p>
      {today.map(({ direction, currency: of, used, left }) => (
        <LimitBar
          key={`${direction} ${of}`}
          label={of === currency ? directions[direction] : `${directions[direction]}, ${of}`}
          used={used.amount}
          most={of === currency ? per_day.amount : used.amount + left.amount}
          words={`${money(used.amount, of)} of ${money(used.amount + left.amount, of)}, ${money(left.amount, of)} left`}
        />
      ))}
    </section>
  )
}

const Costs = ({ of: { costs } }: { of: Team }) => (
  <section class="part">
    <details class="fold">
      <summary>Costs of payments</summary>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Amount up to</th>
            <th scope="col" class="right">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {costs.map(({ up_to, cost }) => (
            <tr key={up_to?.minor ?? 'above'}>
              <td class="num">{up_to ? money(up_to.amount, up_to.currency) : 'above'}</td>
              <td class="num right">{money(cost.amount, cost.currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  </section>
)

interface LimitProps {
  readonly label: string
  readonly used: number
  readonly most: number
  readonly words: string
}

const LimitBar = ({ label, used, most, words }: LimitProps) => (
  <div class="limit">
    <b>{label}</b>
    <meter aria-label={label} min={0} max={most} high={most * 0.8} value={Math.min(used, most)}>
      {words}
    </meter>
    <span class="soft num">{words}</span>
  </div>
)
