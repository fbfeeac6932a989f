import type { Phone } from '../../src/client/types.ts'
import { refusal } from '../core/access.ts'
import { answersForMe, type Handset } from '../core/handset.ts'
import { countdown } from '../core/times.ts'
import type { Operator } from '../core/operators.ts'
import { clock, worldNow } from '../core/world-clock.ts'
import { Button, Said } from './bits.tsx'
import { Icon } from './icon.tsx'

/** The prompt with a PIN field and a keypad. */
export function PromptScreen({ of, phone, operator }: { of: Handset; phone: Phone; operator: Operator }) {
  const { prompt, typed } = of
  const more = phone.waiting - 1
  return (
    <div class="sheet prompt">
      <h2>{operator.money}</h2>
      <p>
        <Said>{prompt!.text}</Said>
      </p>
      <div class="pin" role="img" aria-label={`PIN, ${typed.length} digits typed`}>
        {Array.from({ length: Math.max(4, typed.length) }, (_, n) => (
          <i key={n}>{n < typed.length ? '•' : ''}</i>
        ))}
      </div>
      <div class="keypad" role="group" aria-label="Keypad">
        {[...'123456789'].map((digit) => (
          <Digit key={digit} of={of} digit={digit} />
        ))}
        <button
          type="button"
          class="button"
          aria-label="Erase a digit"
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
      <Button onClick={of.cancel}>Cancel</Button>
      <p class="soft small">
        <Left until={prompt!.expires_at} />
        {more > 0 && ` ${more} more queued.`}
      </p>
      {phone.locked ? (
        <p class="wrong small">Locked: no PIN is taken any more.</p>
      ) : (
        /^\d+$/.test(phone.pin) && (
          <p class="soft small">
            {answersForMe.value ? 'Answered automatically.' : `Its PIN is ${phone.pin}.`}
          </p>
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
  if (until === null) return <>It settles automatically.</>
  const time = countdown(Date.parse(until) - (worldNow.value ?? 0))
  return (
    <>
      Ignored in <span class="num">{time}</span>
      {clock.value?.frozen ? ', once the clock runs.' : '.'}
    </>
  )
}
