import type { Invite, NewChannel, PaymentChannel, Team, TeamDetails } from '../../src/client/types.ts'
import type { FundRequest } from '../../src/generated/control/types.ts'
import { act } from '../core/actions.ts'
import { newPayment } from '../core/dialogs.ts'
import { counted, money } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Article, Button, Facts, Pill, Said, Status } from '../parts/bits.tsx'
import { Form } from '../parts/form.tsx'
import { Missing } from '../parts/list-states.tsx'
import { roleIds } from './keys.tsx'
import channelSchema from 'schema:createChannel?channel_type,short_code,account_number,description'
import fundSchema from 'schema:fundTeam?wallet,amount'
import inviteSchema from 'schema:inviteMember?email,role_id'

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
            <dt>
              {of} {name === 'wallet' ? '' : name.replaceAll('_', ' ')}
            </dt>
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
          of={fundSchema}
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

interface ChannelsProps {
  readonly of: Team
  readonly again: () => void
}

export function TeamChannels({ of: { id, channels, channels_count, currency }, again }: ChannelsProps) {
  const turn = ({ id: channel, is_active }: PaymentChannel) =>
    act(async ({ client }) => {
      await client.channels.update(channel, { is_active: !is_active })
      again()
      return is_active ? `Channel ${channel} closed.` : `Channel ${channel} opened.`
    })
  return (
    <section class="part">
      <h3>Payment channels</h3>
      {channels.length === 0 ? (
        <p class="soft">None yet.</p>
      ) : (
        <ul class="lines">
          {channels.map((channel) => (
            <li key={channel.id}>
              <span>
                <b>
                  {channel.channel_type} <Said>{channel.short_code}</Said>
                </b>
                {channel.account_number && (
                  <>
                    , <Said>{channel.account_number}</Said>
                  </>
                )}
                <span class="soft small">
                  {' '}
                  {channel.id} <Said>{channel.description}</Said>
                </span>
              </span>
              <span class="row">
                <Pill tone={channel.is_active ? 'good' : 'plain'}>
                  {channel.is_active ? 'open' : 'closed'}
                </Pill>
                <Button onClick={() => void turn(channel)}>
                  {channel.is_active ? 'Close' : 'Open'}
                  <span class="unseen"> channel {channel.id}</span>
                </Button>
              </span>
            </li>
          ))}
        </ul>
      )}
      {channels_count > channels.length && (
        <p class="soft">and {counted(channels_count - channels.length, 'more', 'more')}</p>
      )}
      {currency === 'KES' && <NewChannelForm account_id={id} again={again} />}
    </section>
  )
}

const NewChannelForm = ({ account_id, again }: { account_id: number; again: () => void }) => (
  <details class="fold">
    <summary>Create a channel</summary>
    <Form<NewChannel>
      of={channelSchema}
      row
      action="Create"
      send={async (body) => {
        const { id } = await session.peek()!.client.channels.create({ account_id, ...body })
        again()
        return `Channel ${id} created.`
      }}
    />
  </details>
)

interface MembersProps {
  readonly of: Team
  readonly members: TeamDetails['members']
}

const ANSWERED = 5

export function TeamMembers({ of: team, members }: MembersProps) {
  const { client, world } = session.value!
  const { value: invites = [] } = useValue(
    () => client.invitations.list({ account_id: team.id }),
    [world, team.id],
    ['invitation', 'mail', 'team'],
  )
  const open = invites.filter(({ status }) => status === 'sent')
  const answered = invites.filter(({ status }) => status !== 'sent').slice(0, ANSWERED)
  return (
    <section class="part">
      <h3>{counted(members.length, 'member')}</h3>
      <ul class="lines">
        {members.map(({ user_id, name, email, role }) => (
          <li key={user_id}>
            <span>
              <Said>{name || `User ${user_id}`}</Said>
              <span class="soft small">
                {' '}
                <Said>{email}</Said>
              </span>
            </span>
            <Pill tone="plain">{role}</Pill>
          </li>
        ))}
      </ul>
      {invites.length > 0 && (
        <>
          <h3>Invitations</h3>
          <ul class="lines">
            {[...open, ...answered].map((invite) => (
              <Invitation key={invite.token} of={invite} />
            ))}
          </ul>
          <p class="small">
            <a href={hrefOf('mail')}>Invitation mails are in the Mailbox</a>
          </p>
        </>
      )}
      <InviteForm of={team} />
    </section>
  )
}

/** Accepts or declines an invitation for the invitee. */
function Invitation({ of: { email, role, status, token } }: { of: Invite }) {
  const answer = (how: 'accept' | 'decline') =>
    void act(async ({ client }) => {
      await client.invitations[how](token)
      return how === 'accept' ? `${email} joined.` : `${email} declined.`
    })
  return (
    <li>
      <span>
        <Said>{email}</Said> <span class="soft small">as {role}</span>
      </span>
      {status === 'sent' ? (
        <span class="row">
          <Button onClick={() => answer('accept')}>
            Accept
            <span class="unseen"> for {email}</span>
          </Button>
          <Button onClick={() => answer('decline')}>
            Decline
            <span class="unseen"> for {email}</span>
          </Button>
        </span>
      ) : (
        <Status of={status} />
      )}
    </li>
  )
}

const InviteForm = ({ of: { id, organization } }: { of: Team }) => (
  <details class="fold">
    <summary>Invite a person</summary>
    <Form<{ email: string; role_id: number }>
      of={inviteSchema}
      fields={{
        email: { label: 'E-mail address', input: { type: 'email' } },
        role_id: { label: 'Role', choices: roleIds, none: false },
      }}
      initial={{ role_id: 4 }}
      row
      action="Invite"
      send={async (body) => {
        await session.peek()!.transport.ask('POST', '/api/v2/account_invites', {
          body: { ...body, organization_id: organization.id, account_id: id },
        })
        return `${body.email} invited; the mail is in the Mailbox.`
      }}
    />
  </details>
)
