import type { ChangePhoneRequest, Phone } from '../../src/client/types.ts'
import schema from 'schema:updatePhone?on,registered,locked,operator,balance,pin'
import { type Handset, answerForMe, answersForMe, useHandset } from '../core/handset.ts'
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
import { act, busy } from '../core/actions.ts'
import { Switch } from '../parts/switch.tsx'

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

/** One button per way to end a prompt. */
export function QuickAnswers({ of, phone }: { of: Handset; phone: Phone }) {
  const { prompt } = of
  const idle = busy.value || !prompt || of.screen !== 'prompt'
  const { number, pin } = phone
  const right = /^\d+$/.test(pin) ? pin : '1234'
  const wrong = right === '0000' ? '1111' : '0000'
  const broken = (change: ChangePhoneRequest, done: string) =>
    void act(async ({ client }) => {
      await client.phone(number).change(change)
      return done
    })
  const shortOfMoney = () =>
    void act(async ({ client }) => {
      await client.phone(number).change({ balance: 0, currency: prompt!.currency })
      await client.prompts.respond(prompt!.id, { pin: right })
      return 'The balance is now 0. You can change it below.'
    })
  const ignore = () =>
    void act(async ({ client }) => {
      await client.phone(number).ignore()
      return "The prompt expired; the world's clock was advanced."
    })
  return (
    <Card
      title="Quick answers"
      beside={<span class="soft small">{prompt ? 'A prompt is waiting.' : 'No prompt is waiting.'}</span>}
      actions={
        <Switch on={answersForMe.value} set={answerForMe}>
          Answer for me
        </Switch>
      }
    >
      <div class="row in-card">
        <Button kind="main" disabled={idle} onClick={() => void of.response(right)}>
          Right PIN
        </Button>
        <Button disabled={idle} onClick={() => void of.response(wrong)}>
          Wrong PIN
        </Button>
        <Button disabled={idle} onClick={of.cancel}>
          Cancel
        </Button>
        <Button disabled={idle || prompt?.expires_at === null} onClick={ignore}>
          Ignore
        </Button>
        <Button disabled={idle} onClick={shortOfMoney}>
          No money
        </Button>
        <Button disabled={busy.value || !phone.on} onClick={() => broken({ on: false }, 'The phone is off.')}>
          Phone off
        </Button>
        <Button
          disabled={busy.value || !phone.registered}
          onClick={() => broken({ registered: false }, 'The phone is not registered for mobile money.')}
        >
          Not registered
        </Button>
        <Button
          disabled={busy.value || phone.operator === 'busy'}
          onClick={() => broken({ operator: 'busy' }, 'The operator is busy.')}
        >
          Operator busy
        </Button>
      </div>
    </Card>
  )
}
