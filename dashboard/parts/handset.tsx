import type { Phone } from '../../src/client/types.ts'
import type { PayFromPhoneRequest } from '../../src/generated/control/types.ts'
import { phoneWords } from '../core/phone-words.ts'
import { refusal } from '../core/access.ts'
import { act } from '../core/actions.ts'
import { dialog } from '../core/dialogs.ts'
import { money, phone as spoken, timeOf } from '../core/format.ts'
import { type Handset, answersForMe, useHandset, useWatching } from '../core/handset.ts'
import { useKeys } from '../core/hooks.ts'
import { overview, showHandset } from '../core/overview.ts'
import { hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { countdown } from '../core/times.ts'
import { clock, worldNow } from '../core/world-clock.ts'
import { Button, IconButton, Pill, Said, Time } from './bits.tsx'
import { Form } from './form.tsx'
import { Icon } from './icon.tsx'
import { Loading } from './list-states.tsx'
import { PayerMode } from './payer-mode.tsx'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import schema from 'schema:payFromPhone?business_number,account_number,amount'

interface Props {
  readonly of: Handset
  /** Whether it fills the screen. */
  readonly alone?: boolean
}

const brands: { readonly [operator: string]: string } = {
  Safaricom: 'var(--operator-green)',
  Airtel: 'var(--operator-red)',
  Vodacom: 'var(--operator-red)',
  MTN: 'var(--operator-yellow)',
  Telkom: 'var(--operator-blue)',
}

/** In the language of the reader, as for payment pages. */
const words = phoneWords(navigator.languages)

/** A simulated phone for acting as the payer. While it is shown, the sandbox counts it as a watcher. */
export function HandsetView({ of, alone = false }: Props) {
  useWatching()
  usePhoneKeys(of)
  const { carrier = '' } = of.phone ?? {}
  const brand = brands[carrier.split(' ')[0]!]
  return (
    <section
      class={`handset ${alone ? 'alone' : ''}`}
      style={brand ? { '--brand': brand } : {}}
      aria-label={`Phone ${spoken(of.number)}`}
      lang={words.language}
    >
      {alone && <h1 class="unseen">Phone {spoken(of.number)}</h1>}
      <header class="handset-top">
        <span>{carrier}</span>
        <span class="num">{worldNow.value === undefined ? '' : timeOf(worldNow.value).slice(0, 5)}</span>
        <bdi class="num">{spoken(of.number)}</bdi>
      </header>
      <div class="handset-screen">
        <Screen of={of} />
      </div>
    </section>
  )
}

function Screen({ of }: { of: Handset }) {
  const { phone, screen, error } = of
  if (!phone) return error ? <Sheet title={words.notLoaded}>{error}</Sheet> : <Loading />
  if (screen === 'off') return <Off phone={phone} />
  if (screen === 'prompt') return <PromptScreen of={of} phone={phone} />
  if (screen === 'sending')
    return (
      <Sheet title={phone.network}>
        <span role="status">{words.sending}</span>
      </Sheet>
    )
  if (screen === 'ended') return <Ended of={of} phone={phone} />
  if (screen === 'menu') return <Menu of={of} phone={phone} />
  return <Home of={of} phone={phone} />
}

const Sheet = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div class="sheet">
    <h2>{title}</h2>
    <div>{children}</div>
  </div>
)

const Off = ({ phone }: { phone: Phone }) => (
  <div class="dark-screen">
    <p>{words.off}</p>
    <Button onClick={() => void switchOn(phone)}>{words.turnOn}</Button>
  </div>
)

const switchOn = ({ number }: Phone) =>
  act(async ({ client }) => {
    await client.phone(number).on()
    return `${spoken(number)} is on.`
  })

function Ended({ of: { ended, dismiss }, phone }: { of: Handset; phone: Phone }) {
  const { state, amount, currency, business, reason, message } = ended!
  return (
    <div class="sheet ended" role="status">
      <h2>{phone.network}</h2>
      {state === 'paid' ? (
        <Pill tone="good">{words.paid}</Pill>
      ) : (
        <Pill tone="bad">
          {words.language === 'en' && reason ? reason.replaceAll('_', ' ') : words.failed}
        </Pill>
      )}
      <p>
        <b class="num">{money(amount, currency)}</b> {state === 'paid' ? words.paidTo : words.notPaidTo}{' '}
        <Said>{business}</Said>.
      </p>
      {state !== 'paid' && (
        <p class="soft small">
          <Said>{message}</Said>
        </p>
      )}
      <Button needs="read" kind="main" onClick={dismiss}>
        OK
      </Button>
    </div>
  )
}

const Home = ({ of, phone }: { of: Handset; phone: Phone }) => (
  <>
    <div class="holds">
      <span class="soft">{phone.network}</span>
      {phone.balances.map(({ currency, amount }) => (
        <b key={currency} class="num">
          {money(amount, currency)}
        </b>
      ))}
      <Button
        needs="read"
        icon="phone"
        disabled={phone.locked || !phone.registered}
        onClick={() => of.show('menu')}
      >
        {words.menu}
      </Button>
    </div>
    {phone.locked && <p class="wrong in-card">{words.locked}</p>}
    {!phone.registered && <p class="wrong in-card">{words.unregistered(phone.network)}</p>}
    <h2 class="in-card">{words.messages}</h2>
    {phone.messages.length === 0 ? (
      <p class="soft in-card">{words.noMessage}</p>
    ) : (
      <ol class="messages" aria-label={words.newestFirst} tabIndex={0}>
        {phone.messages.map(({ at, text, transaction }) => (
          <li key={`${transaction} ${at} ${text}`}>
            <span class="soft small">
              {phone.network} <Time at={at} />
            </span>
            <Said>{text}</Said>
          </li>
        ))}
      </ol>
    )}
  </>
)

const Menu = ({ of, phone }: { of: Handset; phone: Phone }) => (
  <div class="sheet">
    <button type="button" class="button quiet" onClick={() => of.show('home')}>
      <Icon name="left" />
      {words.back}
    </button>
    <h2>{words.payBill}</h2>
    <PayBill number={phone.number} offers={phone.menu} done={() => of.show('home')} />
  </div>
)

/** On other buttons and links, Enter keeps its meaning; on the keypad it sends the PIN. */
const isElsewhere = () => {
  const at = document.activeElement
  return at instanceof HTMLElement && at.matches('button, a, summary') && !at.closest('.keypad')
}

function usePhoneKeys(of: Handset): void {
  const asked = of.screen === 'prompt'
  const group = 'On the phone'
  useKeys(
    [
      ...[...'0123456789'].map(
        (digit) =>
          ({
            keys: digit,
            listed: digit === '0' ? '0 … 9' : '',
            what: 'Type the PIN',
            group,
            when: () => asked,
            run: () => of.press(digit),
          }) as const,
      ),
      { keys: 'Backspace', what: 'Erase a digit', group, when: () => asked, run: of.erase },
      {
        keys: 'Enter',
        what: 'Send the PIN, or close the result',
        group,
        when: () => !isElsewhere() && (asked || of.screen === 'ended'),
        run: () => (asked ? of.send() : of.dismiss()),
      },
      {
        keys: 'Escape',
        what: 'Cancel',
        group,
        when: () => asked || of.screen === 'ended' || of.screen === 'menu',
        run: () => (asked ? of.cancel() : of.screen === 'ended' ? of.dismiss() : of.show('home')),
      },
    ],
    [asked, of.screen, of.typed, of.prompt?.id],
  )
}

export function PromptScreen({ of, phone }: { of: Handset; phone: Phone }) {
  const { prompt, typed } = of
  const more = phone.waiting - 1
  const pin = useRef<HTMLDivElement>(null)
  // Enter sends the PIN, instead of pressing the button that made the payment.
  useEffect(() => {
    const isTyping = dialog.value !== undefined || document.activeElement?.matches('input, textarea, select')
    if (!isTyping && !answersForMe.peek()) pin.current!.focus({ preventScroll: true })
  }, [prompt!.id, dialog.value])
  return (
    <div class="sheet prompt">
      <h2>{phone.network}</h2>
      <p>
        <Said>{prompt!.text}</Said>
      </p>
      <div class="pin" ref={pin} tabIndex={-1} role="img" aria-label={words.pin(typed.length)}>
        {Array.from({ length: Math.max(4, typed.length) }, (_, n) => (
          <i key={n}>{n < typed.length ? '•' : ''}</i>
        ))}
      </div>
      <div class="keypad" role="group" aria-label={words.keypad}>
        {[...'123456789'].map((digit) => (
          <Digit key={digit} of={of} digit={digit} />
        ))}
        <button
          type="button"
          class="button"
          aria-label={words.erase}
          disabled={typed.length === 0}
          onMouseDown={keepFocus}
          onClick={of.erase}
        >
          <Icon name="erase" />
        </button>
        <Digit of={of} digit="0" />
        <button
          type="button"
          class="button main"
          disabled={typed.length < 4 || refusal('change') !== undefined}
          onMouseDown={keepFocus}
          onClick={of.send}
        >
          OK
        </button>
      </div>
      <Button onClick={of.cancel}>{words.cancel}</Button>
      <p class="soft small">
        <Left until={prompt!.expires_at} />
        {more > 0 && ` ${words.more(more)}`}
      </p>
      {phone.locked ? (
        <p class="wrong small">{words.noPin}</p>
      ) : (
        /^\d+$/.test(phone.pin) && (
          <p class="soft small">{answersForMe.value ? words.answered : words.itsPin(phone.pin)}</p>
        )
      )}
    </div>
  )
}

/** Keeps the focus, so that Enter sends the PIN instead of repeating a digit. */
const keepFocus = (event: Event) => event.preventDefault()

const Digit = ({ of, digit }: { of: Handset; digit: string }) => (
  <button type="button" class="button num" onMouseDown={keepFocus} onClick={() => of.press(digit)}>
    {digit}
  </button>
)

/** The payer's remaining time on the world's clock. */
export function Left({ until }: { until: string | null }) {
  if (until === null) return <>{words.settles}</>
  const time = countdown(Date.parse(until) - (worldNow.value ?? 0))
  return (
    <>
      {words.endsIn} <span class="num">{time}</span>
      {clock.value?.frozen ? `, ${words.onceRunning}.` : '.'}
    </>
  )
}

interface PayBillProps {
  readonly number: string
  /** Payments that the phone can make. */
  readonly offers: Phone['menu']
  readonly done?: () => void
}

/** Fields of the phone's payment menu: paybill, account and amount. */
export function PayBill({ number, offers, done }: PayBillProps) {
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

/** The phone shown before the first payment. */
const FIRST = '254712345678'

/** The phone with the oldest prompt, or of the last payer. */
export function LiveHandset() {
  const shown = useRef<string>()
  const { prompts, payments = [] } = overview.value ?? {}
  const waiting = prompts?.prompts ?? []
  const last = payments.find(
    ({ transaction: { rail, direction } }) => rail === 'momo' && direction === 'payin',
  )
  if (!waiting.some(({ phone }) => phone === shown.current))
    shown.current = waiting[0]?.phone ?? shown.current ?? last?.transaction.party ?? FIRST
  const number = /^\d{10,15}$/.test(shown.current!) ? shown.current! : FIRST
  const handset = useHandset(number)
  return (
    <aside class="live-handset" aria-label="The payer">
      <div class="line">
        <a href={hrefOf('phone', number)}>Open this phone</a>
        <IconButton needs="read" icon="close" label="Close the handset" onClick={() => showHandset(false)} />
      </div>
      <HandsetView of={handset} />
      <PayerMode />
    </aside>
  )
}
