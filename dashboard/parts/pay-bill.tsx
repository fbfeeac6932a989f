import { useState } from 'preact/hooks'
import type { Phone } from '../../src/client/types.ts'
import { act, busy } from '../core/actions.ts'
import { money } from '../core/format.ts'
import { Button, Said } from './bits.tsx'

interface Props {
  readonly number: string
  /** Payments that the phone can make. */
  readonly offers: Phone['menu']
  readonly done?: () => void
}

/** Fields of the phone's payment menu: paybill, account and amount. */
export function PayBill({ number, offers, done }: Props) {
  const [first] = offers
  const [business_number, setBusiness] = useState(first?.business_number ?? '')
  const [account_number, setAccount] = useState(first?.account_number ?? '')
  const [amount, setAmount] = useState(first ? String(first.amount) : '')
  const fill = (offer: Phone['menu'][number]) => {
    setBusiness(offer.business_number)
    setAccount(offer.account_number)
    setAmount(String(offer.amount))
  }
  const pay = async (event: Event) => {
    event.preventDefault()
    const paid = await act(async ({ client }) => {
      const typed = { business_number, account_number, amount: Number(amount) }
      await client
        .phone(number)
        .pay(account_number === '' ? { business_number, amount: Number(amount) } : typed)
      return 'Paid.'
    })
    if (paid) done?.()
  }
  const field = (
    label: string,
    value: string,
    set: (text: string) => void,
    mode: 'text' | 'decimal' = 'text',
  ) => (
    <label>
      {label}
      <input
        value={value}
        inputMode={mode}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </label>
  )
  return (
    <form class="fields" onSubmit={(event) => void pay(event)}>
      {offers.length > 1 && (
        <ul class="plain-list" aria-label="Payments waiting">
          {offers.map((offer) => (
            <li key={offer.transaction}>
              <button type="button" class="button" onClick={() => fill(offer)}>
                <Said>{offer.business}</Said> {money(offer.amount, offer.currency)}
              </button>
            </li>
          ))}
        </ul>
      )}
      {field('Business number', business_number, setBusiness)}
      {field('Account number', account_number, setAccount)}
      {field('Amount', amount, setAmount, 'decimal')}
      <Button kind="main" type="submit" disabled={busy.value}>
        Pay
      </Button>
      {offers.length === 0 && (
        <p class="soft small">
          No offline collection waits for this phone; one of another can be paid all the same.
        </p>
      )}
    </form>
  )
}
