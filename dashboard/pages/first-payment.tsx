import { useEffect, useState } from 'preact/hooks'
import { newPayment } from '../core/dialogs.ts'
import { curlUser } from '../core/here.ts'
import { bodyOf, curlOf, PATH } from '../core/payment.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { Block, Button } from '../parts/bits.tsx'
import { Empty } from '../parts/list-states.tsx'

/** The empty state of a new world. */
export function FirstPayment() {
  const [callback_url, setUrl] = useState('')
  useEffect(() => {
    session.value!.client.inbox.url().then(setUrl, () => {})
  }, [])
  const body = bodyOf({
    account_id: String(settings.collector?.id ?? 1),
    amount: '100',
    phone_number: '0712345678',
    external_reference: 'order-1',
    callback_url,
  })
  return (
    <Empty icon="transactions" title="No payments yet">
      <p>Send the first one. It appears here, and its callback arrives in an inbox of this world.</p>
      <Block label="A first payment by curl" text={curlOf(settings.origin, curlUser(), PATH, body)} />
      <p>
        <Button kind="main" icon="plus" onClick={() => newPayment()}>
          New payment
        </Button>
      </p>
    </Empty>
  )
}
