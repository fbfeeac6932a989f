import { useEffect, useState } from 'preact/hooks'
import type { OutcomeNumbers, TestNumberList } from '../../src/generated/control/types.ts'
import { say } from '../core/actions.ts'
import { wordsOf } from '../core/api.ts'
import { paymentDraft } from '../core/dialogs.ts'
import { curlUser } from '../core/here.ts'
import { bodyOf, curlOf, PATH, type PaymentFields } from '../core/payment.ts'
import { session } from '../core/session.ts'
import { settings } from '../core/settings.ts'
import { transactions } from '../core/store.ts'
import { Block, Button } from '../parts/bits.tsx'
import { Dialog } from '../parts/dialog.tsx'

const PAYER = '0712345678'

/** Returns the next free reference, such as `order-8` after `order-7`. */
function nextReference(): string {
  const taken = new Set(transactions.peek().map(({ external_reference }) => external_reference))
  let n = transactions.peek().length + 1
  while (taken.has(`order-${n}`)) n++
  return `order-${n}`
}

/** Creates a collection and shows the equivalent curl command. */
export function PaymentDialog({ close }: { close: () => void }) {
  const { client, transport } = session.value!
  const [fields, setFields] = useState<PaymentFields>(() => ({
    account_id: String(settings.collector?.id ?? ''),
    amount: '250',
    phone_number: PAYER,
    external_reference: nextReference(),
    callback_url: '',
    ...paymentDraft.peek(),
  }))
  const [outcomes, setOutcomes] = useState<readonly OutcomeNumbers[]>([])
  const [wrong, setWrong] = useState('')
  const [sending, setSending] = useState(false)
  const set = (change: Partial<PaymentFields>) => setFields((before) => ({ ...before, ...change }))

  useEffect(() => {
    client.inbox.url().then(
      (callback_url) => setFields((now) => ({ ...now, callback_url: now.callback_url || callback_url })),
      () => {},
    )
    transport.ask<TestNumberList>('GET', '/sandbox/test-numbers').then(
      ({ test_numbers }) =>
        setOutcomes(test_numbers.filter(({ operations }) => operations.includes('createCollection'))),
      () => {},
    )
  }, [])

  const send = async (event: Event) => {
    event.preventDefault()
    setSending(true)
    setWrong('')
    try {
      await transport.ask('POST', PATH, { body: bodyOf(fields) })
      say(`${fields.external_reference || 'The payment'} is queued.`)
      close()
    } catch (error) {
      setWrong(wordsOf(error))
      setSending(false)
    }
  }
  const field = (name: keyof PaymentFields, label: string, more: object = {}) => (
    <label>
      {label}
      <input
        name={name}
        value={fields[name]}
        onInput={({ currentTarget }) => set({ [name]: currentTarget.value })}
        autocomplete="off"
        spellcheck={false}
        {...more}
      />
    </label>
  )
  const local = (value: OutcomeNumbers) => value.numbers.find(({ country }) => country === 'KE')?.local ?? ''
  return (
    <Dialog title="New payment" close={close} wide>
      <form class="two" onSubmit={(event) => void send(event)}>
        <div class="fields">
          <div class="pair">
            {field('amount', 'Amount, KES', { inputMode: 'decimal', autofocus: true })}
            {field('account_id', 'Team', { inputMode: 'numeric' })}
          </div>
          <label>
            Outcome
            <select
              value={fields.phone_number}
              onChange={({ currentTarget }) => set({ phone_number: currentTarget.value })}
            >
              <option value={PAYER}>Success</option>
              {outcomes.map((value) => (
                <option key={value.ending} value={local(value)}>
                  {value.title}
                </option>
              ))}
              {fields.phone_number !== PAYER && !outcomes.some((it) => local(it) === fields.phone_number) && (
                <option value={fields.phone_number}>Decided by the phone</option>
              )}
            </select>
          </label>
          {field('phone_number', "Payer's phone", { inputMode: 'tel' })}
          {field('external_reference', 'Your reference')}
          {field('callback_url', 'Callback address')}
          <p class="soft small">The address that is filled in is an inbox of this world.</p>
          {wrong && (
            <p class="wrong" role="alert">
              {wrong}
            </p>
          )}
          <Button kind="main" type="submit" disabled={sending}>
            Send
          </Button>
        </div>
        <div class="beside-form">
          <h3>As a curl command</h3>
          <Block label="As a curl command" text={curlOf(settings.origin, curlUser(), PATH, bodyOf(fields))} />
        </div>
      </form>
    </Dialog>
  )
}
