import type { NewChannel, PaymentChannel, Team } from '../../src/client/types.ts'
import schema from 'schema:createChannel?channel_type,short_code,account_number,description'
import { act, busy } from '../core/actions.ts'
import { counted } from '../core/format.ts'
import { session } from '../core/session.ts'
import { Button, Pill, Said } from '../parts/bits.tsx'
import { Form } from '../parts/form.tsx'

interface Props {
  readonly of: Team
  readonly again: () => void
}

/** A Team's payment channels. */
export function TeamChannels({ of: { id, channels, channels_count, currency }, again }: Props) {
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
                <Button disabled={busy.value} onClick={() => void turn(channel)}>
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
      of={schema}
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
