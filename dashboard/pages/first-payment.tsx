import { newPayment } from '../core/dialogs.ts'
import { Button } from '../parts/bits.tsx'
import { Empty } from '../parts/list-states.tsx'
import { PaymentCurl } from '../parts/curl.tsx'

/** The empty state of a new world. */
export const FirstPayment = () => (
  <Empty icon="transactions" title="No payments yet">
    <p>Send the first one. It appears here, and its callback arrives in an inbox of this world.</p>
    <PaymentCurl label="A first payment by curl" of={{ reference: 'order-1', amount: 100 }} />
    <p>
      <Button kind="main" icon="plus" onClick={() => newPayment()}>
        New payment
      </Button>
    </p>
  </Empty>
)
