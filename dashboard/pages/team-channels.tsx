import { useState } from 'preact/hooks'
import type { NewChannel, PaymentChannel, Team } from '../../src/client/types.ts'
import { mayChange } from '../core/access.ts'
import { act, busy } from '../core/actions.ts'
import { counted } from '../core/format.ts'
import { Button, Pill, Said } from '../parts/bits.tsx'

interface Props {
  readonly of: Team
  readonly again: () => void
}

const kinds: readonly NewChannel['channel_type'][] = ['paybill', 'till', 'bank', 'wallet']

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

function NewChannelForm({ account_id, again }: { account_id: number; again: () => void }) {
  const [channel_type, setType] = useState<NewChannel['channel_type']>('paybill')
  const [short_code, setCode] = useState('')
  const [account_number, setAccount] = useState('')
  const make = (event: Event) => {
    event.preventDefault()
    void act(async ({ client }) => {
      const made = await client.channels.create({
        account_id,
        channel_type,
        short_code,
        ...(account_number && { account_number }),
      })
      setCode('')
      setAccount('')
      again()
      return `Channel ${made.id} created.`
    })
  }
  return (
    <details class="fold">
      <summary>Create a channel</summary>
      <form class="fields in-row" onSubmit={make}>
        <label>
          Kind
          <select
            value={channel_type}
            disabled={!mayChange.value}
            onChange={({ currentTarget }) => setType(currentTarget.value as typeof channel_type)}
          >
            {kinds.map((kind) => (
              <option key={kind}>{kind}</option>
            ))}
          </select>
        </label>
        <label>
          Number
          <input
            value={short_code}
            required
            disabled={!mayChange.value}
            placeholder="888881"
            onInput={({ currentTarget }) => setCode(currentTarget.value)}
            autocomplete="off"
          />
        </label>
        {(channel_type === 'bank' || channel_type === 'paybill') && (
          <label>
            Account there
            <input
              value={account_number}
              required={channel_type === 'bank'}
              disabled={!mayChange.value}
              onInput={({ currentTarget }) => setAccount(currentTarget.value)}
              autocomplete="off"
            />
          </label>
        )}
        <Button type="submit" disabled={busy.value}>
          Create
        </Button>
      </form>
    </details>
  )
}
