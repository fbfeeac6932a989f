import type { Mail } from '../../src/client/types.ts'
import { act, destroy } from '../core/actions.ts'
import { type List, listOf, resource, useList } from '../core/resource.ts'
import { hrefOf, route, thing } from '../core/route.ts'
import { settings } from '../core/settings.ts'
import { Article, Block, Button, Facts, Said, Time } from '../parts/bits.tsx'
import { Curl } from '../parts/curl.tsx'
import { Empty, Missing } from '../parts/list-states.tsx'
import { ListPage, useSearch } from '../parts/list-page.tsx'
import { type Column, nameColumn } from '../parts/table.tsx'

const mails = resource<Mail>({
  path: '/sandbox/outbox',
  rows: 'mails',
  order: ({ id }) => id,
  events: ['mail'],
})

const hrefTo = ({ id }: Mail) => hrefOf('mail', id, route.value.query)

const columns: readonly Column<Mail>[] = [
  { title: 'Time', is: 'time', cell: ({ sent_at }) => <Time at={sent_at} /> },
  nameColumn('Subject', hrefTo, (mail) => mail.subject),
  { title: 'To', rank: 1, cell: ({ to }) => <Said>{to}</Said> },
]

/** E-mails of the service, and invitations to accept or decline. */
export function Mailbox() {
  const list = useList(mails, { search: useSearch() })
  return (
    <ListPage
      title="Mailbox"
      noun="mail"
      list={list}
      columns={columns}
      href={hrefTo}
      chosen={thing.value}
      search={{ label: 'Search in addresses, subjects and texts', placeholder: 'Address, subject, text' }}
      detail={<MailDetail id={Number(thing.value)} list={list} />}
      empty={<NoMail />}
      actions={
        list.items.value.length > 0 && (
          <Button needs="own" onClick={() => void clear()}>
            Clear
          </Button>
        )
      }
    />
  )
}

const clear = () =>
  destroy(async ({ client }) => {
    await client.outbox.clear()
    await listOf(mails).load()
    return 'Mailbox cleared.'
  }, 'own')

const NoMail = () => (
  <Empty icon="mail" title="No mail yet">
    <p>The service sends mails for invitations, KYC reviews and low balances. Invite somebody:</p>
    <Curl
      label="An invitation by curl"
      path="/api/v2/account_invites"
      body={{
        organization_id: 1,
        account_id: settings.collector?.id,
        email: 'somebody@example.com',
        role_id: 4,
      }}
    />
  </Empty>
)

function MailDetail({ id, list }: { id: number; list: List<Mail> }) {
  const mail = list.items.value.find((each) => each.id === id)
  if (!mail)
    return (
      <Missing
        title={`Mail ${id} not found`}
        words="The mailbox was cleared, or the world was reset."
        loading={list.state.value !== 'there'}
      />
    )
  const invited = /\/invites?\//.test(mail.link)
  const answer = (how: 'accept' | 'decline') =>
    act(async ({ client }) => {
      await client.invitations[how](mail.link)
      return how === 'accept' ? 'Invitation accepted.' : 'Invitation declined.'
    })
  return (
    <Article
      title={mail.subject}
      beside={
        invited && (
          <span class="actions">
            <Button kind="main" onClick={() => void answer('accept')}>
              Accept
            </Button>
            <Button onClick={() => void answer('decline')}>Decline</Button>
          </span>
        )
      }
    >
      <Facts
        of={[
          ['To', <Said>{mail.to}</Said>],
          ['Sent', <Time at={mail.sent_at} />],
          ['Link', mail.link && <Said>{mail.link}</Said>],
        ]}
      />
      <section class="part">
        <p class="mail-text">
          <Said>{mail.text}</Said>
        </p>
        <details class="fold">
          <summary>HTML source</summary>
          <Block label="HTML of the mail" text={mail.html} />
        </details>
      </section>
    </Article>
  )
}
