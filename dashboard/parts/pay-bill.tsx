import { useState } from 'preact/hooks'
import type { Phone } from '../../src/client/types.ts'
import type { PayFromPhoneRequest } from '../../src/generated/control/types.ts'
import schema from 'schema:payFromPhone?business_number,account_number,amount'
import { money } from '../core/format.ts'
import { session } from '../core/session.ts'
import { Said } from './bits.tsx'
import { Form } from './form.tsx'

interface Props {
  readonly number: string
  /** Payments that the phone can make. */
  readonly offers: Phone['menu']
  readonly done?: () => void
}

/** Fields of the phone's payment menu: paybill, account and amount. */
export function PayBill({ number, offers, done }: Props) {
  const [chosen, setChosen] = useState(offers[0])
  return (
    <>
      {offers.length > 1 && (
        <ul class="plain-list" aria-label="Payments waiting">
          {offers.map((offer) => (
            <li key={offer.transaction}>
              <button type="button" class="button" onClick={() => setChosen(offer)}>
                <Said>{offer.business}</Said> {money(offer.amount, offer.currency)}
              </button>
            </li>
          ))}
        </ul>
      )}
      <Form<PayFromPhoneRequest>
        key={chosen?.transaction}
        of={schema}
        brief
        initial={chosen ?? {}}
        action="Pay"
        send={async (body) => {
          await session.peek()!.client.phone(number).pay(body)
          done?.()
          return 'Paid.'
        }}
      />
      {offers.length === 0 && (
        <p class="soft small">
          No offline collection waits for this phone; one of another can be paid all the same.
        </p>
      )}
    </>
  )
}
