import { useState } from 'preact/hooks'
import type { FireCallbackRequest } from '../../src/generated/control/types.ts'
import { act, busy } from '../core/actions.ts'
import { go, hrefOf, page } from '../core/route.ts'
import { Button } from '../parts/bits.tsx'

type Fault = NonNullable<FireCallbackRequest['fault']>

const faults: { readonly [fault in Fault]: string } = {
  tampered: 'changed after it was signed',
  'wrong-secret': 'signed with another secret',
  stale: 'signed too long ago',
  future: 'signed in the future',
  unsigned: 'not signed',
  'malformed-signature': 'an invalid signature',
  'truncated-body': 'cut off in the middle',
  slow: 'sent slowly',
  'lost-response': 'disconnected after sending, so that it is retried',
  reformatted: 'valid, with other formatting',
  'second-signature': 'valid by the second of two signatures',
  'upper-case-headers': 'valid, with upper-case headers',
}

/** Faults of the timing rather than of the content. */
const timings = { twice: 'twice, a duplicate', late: 'late, after ten minutes' }

/** Sends a faulty callback for the transaction's current state. */
export function FireForm({ reference }: { reference: string }) {
  const [how, setHow] = useState('')
  const [shape, setShape] = useState('')
  const [url, setUrl] = useState('')
  const fire = (event: Event) => {
    event.preventDefault()
    void act(async ({ client }) => {
      const { callback } = await client.callbacks.fire({
        reference,
        ...(url && { url }),
        ...(shape && { shape: shape as 'flat' | 'nested' }),
        ...(how in faults && { fault: how as Fault }),
        ...(how === 'late' && { after: '10m' }),
      })
      // A duplicate repeats the event id.
      if (how === 'twice') await client.callbacks.resend(callback.id)
      if (page.peek() === 'callbacks') go(hrefOf('callbacks', callback.id))
      return `Callback ${callback.id} is on its way${how === 'late' ? ' in ten minutes' : ''}.`
    })
  }
  return (
    <section class="part">
      <h3>Send a callback</h3>
      <form class="fields in-row" onSubmit={fire}>
        <label>
          How
          <select value={how} onChange={({ currentTarget }) => setHow(currentTarget.value)}>
            <option value="">none</option>
            {Object.entries({ ...timings, ...faults }).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          Shape
          <select value={shape} onChange={({ currentTarget }) => setShape(currentTarget.value)}>
            <option value="">the world's default</option>
            <option value="flat">flat</option>
            <option value="nested">nested</option>
          </select>
        </label>
        <label class="whole">
          To another address
          <input
            type="url"
            value={url}
            onInput={({ currentTarget }) => setUrl(currentTarget.value)}
            placeholder="the payment's callback_url"
            autocomplete="off"
          />
        </label>
        <Button type="submit" disabled={busy.value}>
          Send
        </Button>
      </form>
      <p class="soft small">
        Other faults are scenarios: <a href={hrefOf('scenarios', 'callbacks-out-of-order')}>out of order</a>,{' '}
        <a href={hrefOf('scenarios', 'callback-before-response')}>before the response</a>,{' '}
        <a href={hrefOf('scenarios', 'callback-lost')}>never</a>.
      </p>
    </section>
  )
}
