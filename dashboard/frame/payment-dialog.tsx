import type { PreparePaymentRequest, Scenario } from '../../src/generated/control/types.ts'
import { paymentDraft } from '../core/dialogs.ts'
import { fits } from '../core/form.ts'
import { go, hrefOf } from '../core/route.ts'
import { grouped, isOfPayments } from '../core/scenario-files.ts'
import { scenarioList, scenarios } from '../core/scenarios.ts'
import { rails } from '../core/names.ts'
import { useValue } from '../core/resource.ts'
import { session } from '../core/session.ts'
import { transactions } from '../core/store.ts'
import { PaymentCurl, prepare } from '../parts/curl.tsx'
import { Dialog } from '../parts/dialog.tsx'
import type { Slot } from '../parts/fields.tsx'
import { Form } from '../parts/form.tsx'
import { useEffect, useState } from 'preact/hooks'
import schema from 'schema:preparePayment?direction,rail,outcome,country,amount,account_id,phone,account_number,reference,callback_url,operation'

/** Returns the next free reference, such as `order-8` after `order-7`. */
function nextReference(): string {
  const taken = new Set(transactions.peek().map(({ external_reference }) => external_reference))
  let n = transactions.peek().length + 1
  while (taken.has(`order-${n}`)) n++
  return `order-${n}`
}

/** A number with its dial code or trunk zero; what is shorter is still being typed. */
const PHONE = /^(\+?2\d{2}|0)\d{8,10}$/

/** Whether the sandbox can be asked for the request. */
const isComplete = (body: PreparePaymentRequest) =>
  fits(schema, body) && (!body.phone || PHONE.test(body.phone.replace(/[\s()-]/g, '')))

/** Makes a payment by any rail in either direction, and shows the equivalent curl command. */
export function PaymentDialog({ close }: { close: () => void }) {
  const [initial] = useState(() => ({
    direction: 'payin',
    rail: 'momo',
    reference: nextReference(),
    ...paymentDraft.peek(),
  }))
  useEffect(() => scenarioList.use(), [])
  const { client, world } = session.value!
  const { value: teams = [] } = useValue(() => client.teams.list(), [world])
  return (
    <Dialog title="New payment" close={close} wide>
      <Form<PreparePaymentRequest>
        of={schema}
        class="two"
        brief
        fields={{
          direction: { choices: { payin: 'collect', payout: 'pay out' }, none: false },
          rail: { choices: rails, none: false },
          outcome: { slot: Outcomes, whole: true },
          amount: { input: { autofocus: true } },
          account_id: {
            none: 'that of your key',
            choices: Object.fromEntries(teams.map(({ id, name }) => [id, `${name} (${id})`])),
          },
          phone: { placeholder: '0712 345 678' },
          account_number: { placeholder: 'the phone, or a bank account' },
          reference: { label: 'Your reference' },
          callback_url: { placeholder: 'an inbox of this world' },
        }}
        initial={initial}
        action="Send"
        send={async (body) => {
          const { method, path, headers, body: sent, reference, operation } = await prepare(body)
          await session.peek()!.transport.ask(method, path, { body: sent, headers })
          close()
          if (operation === 'createGlobalPayment' && body.direction === 'payin')
            go(hrefOf('checkouts', reference))
          return `${reference} is queued.`
        }}
      >
        {(body) => (
          <div class="beside-form">
            <h3>As a curl command</h3>
            <PaymentCurl label="As a curl command" of={isComplete(body) ? body : undefined} pause={250} />
          </div>
        )}
      </Form>
    </Dialog>
  )
}

/** Outcomes by meaning, grouped; typing filters them. */
function Outcomes({ value, set, attributes }: Slot) {
  const [text, setText] = useState('')
  const wanted = text.toLowerCase()
  const fits = ({ name, title, outcome }: Scenario) =>
    `${name} ${title} ${outcome}`.toLowerCase().includes(wanted)
  const shown = scenarios.value.filter((each) => isOfPayments(each) && (each.name === value || fits(each)))
  return (
    <>
      <input
        type="search"
        aria-label="Find an outcome"
        placeholder="Find; Enter takes the first"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          const first = grouped(shown)[0]?.[1].find(fits)
          if (first && text) set(first.name)
        }}
      />
      <select
        {...attributes}
        size={7}
        value={String(value ?? '')}
        onChange={({ currentTarget }) => set(currentTarget.value)}
      >
        <option value="">by the rules of the world</option>
        {grouped(shown).map(([title, those]) => (
          <optgroup key={title} label={title}>
            {those.map(({ name, title: words }) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </>
  )
}
