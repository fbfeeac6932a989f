import { useEffect } from 'preact/hooks'
import type { Mail } from '../../src/client/types.ts'
import type { MailList } from '../../src/generated/control/types.ts'
import { act, busy } from '../core/actions.ts'
import { curlUser } from '../core/here.ts'
import { listOf } from '../core/list.ts'
import { curlOf } from '../core/payment.ts'
import { hrefOf, thing } from '../core/route.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { changes } from '../core/store.ts'
import { Block, Button, Facts, Said, Time } from '../parts/bits.tsx'
import { Empty, Loading, NotThere } from '../parts/list-states.tsx'
import { Rows, type Column } from '../parts/rows.tsx'
import { Split } from '../parts/split.tsx'

const mails = listOf<Mail>({
  async page(before) {
    const query = { limit: 100, before }
    const found = await session.peek()!.transport.ask<MailList>('GET', '/sandbox/outbox', { query })
    return { items: found.mails, next: found.next_before }
  },
  order: ({ id }) => id,
})

const columns: readonly Column<Mail>[] = [
  { title: 'Time', width: 'var(--time)', cell: ({ sent_at }) => <Time at={sent_at} /> },
  {
    title: 'Subject',
    cell: ({ id, subject, to }) => (
      <span class="stack">
        <span class="one-line">
          <a href={hrefOf('mail', id)}>
            <bdi>{subject}</bdi>
          </a>
        </span>
        <span class="below one-line">
          <bdi>{to}</bdi>
        </span>
      </span>
    ),
  },
  { title: 'To', wide: true, width: '34%', cell: ({ to }) => <bdi>{to}</bdi> },
]

/** E-mails of the service, and invitations to accept or decline. */
export function Mailbox() {
  const { world } = session.value!
  useEffect(() => mails.clear(), [world, changes.value['reset']])
  useEffect(() => void mails.load(), [world, changes.value['mail'], changes.value['reset']])
  return (
    <Split
      title="Mailbox"
      detail={<MailDetail id={Number(thing.value)} />}
      list={
        <>
          <header class="head">
            <h1>Mailbox</h1>
            <div class="actions">
              {mails.items.value.length > 0 && (
                <Button needs="own" disabled={busy.value} onClick={() => void clear()}>
                  Clear
                </Button>
              )}
            </div>
          </header>
          <section class="card" aria-label="Mails">
            {mails.items.value.length > 0 ? (
              <Rows
                label="Mails, newest first"
                items={mails.items.value}
                columns={columns}
                keyOf={({ id }) => id}
                href={({ id }) => hrefOf('mail', id)}
                chosen={thing.value}
                older={mails.more.value ? () => void mails.older() : undefined}
              />
            ) : mails.state.value === 'there' ? (
              <NoMail />
            ) : (
              <NotThere state={mails.state.value} error={mails.error.value} retry={() => void mails.load()} />
            )}
          </section>
        </>
      }
    />
  )
}

const clear = () =>
  act(async ({ client }) => {
    await client.outbox.clear()
    mails.clear()
    await mails.load()
    return 'Mailbox cleared.'
  }, 'own')

const NoMail = () => (
  <Empty icon="mail" title="No mail yet">
    <p>The service sends mails for invitations, KYC reviews and low balances. Invite somebody:</p>
    <Block
      label="An invitation by curl"
      text={curlOf(settings.origin, curlUser(), '/api/v2/account_invites', {
        organization_id: 1,
        account_id: settings.collector?.id,
        email: 'somebody@example.com',
        role_id: 4,
      })}
    />
  </Empty>
)

function MailDetail({ id }: { id: number }) {
  const mail = mails.items.value.find((each) => each.id === id)
  if (!mail)
    return mails.state.value === 'there' ? (
      <Empty icon="search" title={`Mail ${id} not found`}>
        <p>The mailbox was cleared, or the world was reset.</p>
      </Empty>
    ) : (
      <Loading />
    )
  const invited = /\/invites?\//.test(mail.link)
  const answer = (how: 'accept' | 'decline') =>
    act(async ({ client }) => {
      await client.invitations[how](mail.link)
      return how === 'accept' ? 'Invitation accepted.' : 'Invitation declined.'
    })
  return (
    <article class="card">
      <header class="bar">
        <h2>
          <Said>{mail.subject}</Said>
        </h2>
        {invited && (
          <span class="actions">
            <Button kind="main" disabled={busy.value} onClick={() => void answer('accept')}>
              Accept
            </Button>
            <Button disabled={busy.value} onClick={() => void answer('decline')}>
              Decline
            </Button>
          </span>
        )}
      </header>
      <Facts
        of={[
          ['To', <Said>{mail.to}</Said>],
          ['Sent', <Time at={mail.sent_at} />],
          ...(mail.link ? [['Link', <Said>{mail.link}</Said>] as const] : []),
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
    </article>
  )
}
