import type { ChangePhoneRequest, Phone } from '../../src/client/types.ts'
import schema from 'schema:updatePhone?on,registered,locked,operator,balance,pin'
import { type Handset, useHandset } from '../core/handset.ts'
import { newPayment } from '../core/dialogs.ts'
import { phone as spoken } from '../core/format.ts'
import { hrefOf, route } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Button, Card, Said } from '../parts/bits.tsx'
import { Form } from '../parts/form.tsx'
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
          <Button icon="plus" keys="n" onClick={() => newPayment({ phone: number })}>
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

function State({ phone, handset }: { phone: Phone; handset: Handset }) {
  const { number, on, registered, locked, operator, pin, balances } = phone
  const [own] = balances
  return (
    <Card title="Settings of this phone">
      <Form<ChangePhoneRequest>
        of={schema}
        fields={{
          registered: { label: 'Registered for mobile money' },
          locked: { label: 'PIN locked' },
          balance: own ? { label: `Balance, ${own.currency}`, placeholder: 'unlimited' } : { hidden: true },
          pin: { hidden: !/^\d+$/.test(pin) },
        }}
        initial={{ on, registered, locked, operator, pin, balance: own?.limited ? own.amount : '' }}
        class="in-card two"
        row
        instant
        action=""
        send={async (body) => {
          const currency = body.balance !== undefined && own ? { currency: own.currency } : {}
          await session
            .peek()!
            .client.phone(number)
            .change({ ...body, ...currency })
        }}
      />
      {handset.screen === 'off' && (
        <p class="soft in-card">Money that is paid out reaches it all the same.</p>
      )}
    </Card>
  )
}
