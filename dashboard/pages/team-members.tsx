import type { Invite, Team, TeamDetails } from '../../src/client/types.ts'
import schema from 'schema:inviteMember?email,role_id'
import { act, busy } from '../core/actions.ts'
import { counted } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Button, Pill, Said, Status } from '../parts/bits.tsx'
import { Form } from '../parts/form.tsx'
import { roleIds } from './new-key.tsx'

interface Props {
  readonly of: Team
  readonly members: TeamDetails['members']
}

/** Maximum number of closed invitations shown. */
const ANSWERED = 5

/** Members and invitations of a Team. */
export function TeamMembers({ of: team, members }: Props) {
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
          <Button disabled={busy.value} onClick={() => answer('accept')}>
            Accept
            <span class="unseen"> for {email}</span>
          </Button>
          <Button disabled={busy.value} onClick={() => answer('decline')}>
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
      of={schema}
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
