import { useState } from 'preact/hooks'
import type { FireCallbackRequest } from '../../src/generated/control/types.ts'
import { act, busy } from '../core/actions.ts'
import { Button } from '../parts/bits.tsx'

const faults: { readonly [fault in NonNullable<FireCallbackRequest['fault']>]: string } = {
  tampered: 'changed after it was signed',
  'wrong-secret': 'signed with another secret',
  stale: 'signed too long ago',
  future: 'signed in the future',
  unsigned: 'not signed',
  'malformed-signature': 'a signature that is none',
  'truncated-body': 'cut off in the middle',
  slow: 'sent slowly',
}

/** Sends a callback of a transaction as it is now, as the receiver would never wish for. */
export function FireForm({ reference }: { reference: string }) {
  const [fault, setFault] = useState('')
  const [url, setUrl] = useState('')
  const fire = (event: Event) => {
    event.preventDefault()
    void act(async ({ client }) => {
      const { callback } = await client.callbacks.fire({
        reference,
        ...(url && { url }),
        ...(fault && { fault: fault as keyof typeof faults }),
      })
      return `Callback ${callback.id} is on its way.`
    })
  }
  return (
    <section class="part">
      <h3>Send one by hand</h3>
      <form class="fields in-row" onSubmit={fire}>
        <label>
          How
          <select value={fault} onChange={({ currentTarget }) => setFault(currentTarget.value)}>
            <option value="">as it should be</option>
            {Object.entries(faults).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          To another address
          <input
            type="url"
            value={url}
            onInput={({ currentTarget }) => setUrl(currentTarget.value)}
            placeholder="where the payment said"
            autocomplete="off"
          />
        </label>
        <Button type="submit" disabled={busy.value}>
          Send
        </Button>
      </form>
    </section>
  )
}
