import type { FireCallbackRequest } from '../../src/generated/control/types.ts'
import schema from 'schema:fireCallback?fault,shape,after,copies,method,content_type,padding,url'
import { go, hrefOf, page } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Form } from '../parts/form.tsx'

/** Sends a callback for the transaction's current state, such as a faulty one. */
export const FireForm = ({ reference }: { reference: string }) => (
  <section class="part">
    <h3>Send a callback</h3>
    <Form<FireCallbackRequest>
      of={schema}
      row
      action="Send"
      send={async (body) => {
        const { callback } = await session.peek()!.client.callbacks.fire({ ...body, reference })
        if (page.peek() === 'callbacks') go(hrefOf('callbacks', callback.id))
        return `Callback ${callback.id} is on its way.`
      }}
    />
    <p class="soft small">
      Scenarios cover the rest: <a href={hrefOf('scenarios', 'callbacks-out-of-order')}>out of order</a>,{' '}
      <a href={hrefOf('scenarios', 'callback-before-response')}>before the response</a>,{' '}
      <a href={hrefOf('scenarios', 'callback-lost')}>never</a>.
    </p>
  </section>
)
