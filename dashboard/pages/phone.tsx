import { useState } from 'preact/hooks'
import type { ChangePhoneRequest, Phone } from '../../src/client/types.ts'
import { refusal } from '../core/access.ts'
import { act, busy } from '../core/actions.ts'
import { type Handset, useHandset } from '../core/handset.ts'
import { newPayment } from '../core/dialogs.ts'
import { phone as spoken } from '../core/format.ts'
import { hrefOf, route } from '../core/route.ts'
import { Button, Said } from '../parts/bits.tsx'
import { Switch } from '../parts/switch.tsx'
import { HandsetView } from '../parts/handset.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty } from '../parts/list-states.tsx'
import { PayerMode } from '../parts/payer-mode.tsx'
import { RealPhone } from '../parts/real-phone.tsx'
import { QuickAnswers } from './quick-answers.tsx'

/** One phone with all its settings. */
export function PhonePage({ number }: { number: string }) {
  const handset = useHandset(number)
  const { phone, error } = handset
  if (!phone && error)
    return (
      <Empty icon="phone" title="This is no phone" page>
        <p>
          <Said>{error}</Said>
        </p>
        <p>
          <a href={hrefOf('phone')}>All phones</a>
        </p>
      </Empty>
    )
  if (route.value.query['alone'] !== undefined) return <HandsetView of={handset} alone />
  return (
    <>
      <header class="head">
        <a class="way" href={hrefOf('phone')}>
          <Icon name="left" />
          Phones
        </a>
        <h1 class="num">
          <bdi>{spoken(number)}</bdi>
        </h1>
        <div class="actions">
          <Button icon="plus" keys="n" onClick={() => newPayment({ phone_number: number })}>
            New payment
          </Button>
        </div>
      </header>
      <div class="phone-page">
        <HandsetView of={handset} />
        <div class="stack-cards">
          <PayerMode />
          {phone && (
            <>
              <QuickAnswers of={handset} phone={phone} />
              <State phone={phone} handset={handset} />
            </>
          )}
          <RealPhone href={hrefOf('phone', number, { alone: '' })} what="this phone" />
        </div>
      </div>
    </>
  )
}

const change = (number: string, change: ChangePhoneRequest) =>
  void act(async ({ client }) => void (await client.phone(number).change(change)))

function State({ phone, handset }: { phone: Phone; handset: Handset }) {
  const { number, on, registered, locked, operator, pin, balances } = phone
  const [own] = balances
  return (
    <section class="card" aria-label="Settings of this phone">
      <header class="bar">
        <h2>Settings of this phone</h2>
      </header>
      <div class="switches">
        <div>
          <Switch on={on} set={(on) => change(number, { on })}>
            On
          </Switch>
          <Switch on={registered} set={(registered) => change(number, { registered })}>
            Registered for mobile money
          </Switch>
          <Switch on={locked} set={(locked) => change(number, { locked })}>
            PIN locked
          </Switch>
        </div>
        <div>
          <label>
            Operator
            <select
              value={operator}
              disabled={refusal('change') !== undefined}
              onChange={({ currentTarget }) =>
                change(number, { operator: currentTarget.value as Phone['operator'] })
              }
            >
              <option value="works">works</option>
              <option value="busy">is busy</option>
              <option value="fails">fails</option>
            </select>
          </label>
          {own && (
            <Typed
              label={`Holds, ${own.currency}`}
              value={own.limited ? String(own.amount) : ''}
              placeholder="enough"
              set={(text) => change(number, { balance: Number(text), currency: own.currency })}
            />
          )}
          {/^\d+$/.test(pin) && <Typed label="PIN" value={pin} set={(pin) => change(number, { pin })} />}
        </div>
      </div>
      {handset.screen === 'off' && (
        <p class="soft in-card">Money that is paid out reaches it all the same.</p>
      )}
    </section>
  )
}

interface TypedProps {
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  readonly set: (text: string) => void
}

/** A field that is saved when the reader leaves it. */
function Typed({ label, value, placeholder, set }: TypedProps) {
  const [typed, setTyped] = useState<string>()
  const submit = (event: Event) => {
    event.preventDefault()
    if (typed !== undefined && typed !== value) set(typed)
    setTyped(undefined)
  }
  return (
    <form onSubmit={submit}>
      <label>
        {label}
        <span class="joined">
          <input
            class="num"
            inputMode="decimal"
            autocomplete="off"
            value={typed ?? value}
            placeholder={placeholder}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <Button type="submit" disabled={busy.value || typed === undefined || typed === value}>
            Set
          </Button>
        </span>
      </label>
    </form>
  )
}
