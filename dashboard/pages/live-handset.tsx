import { useRef } from 'preact/hooks'
import { showHandset } from '../core/beside.ts'
import { useHandset } from '../core/handset.ts'
import { hrefOf } from '../core/route.ts'
import { overview } from '../core/overview.ts'
import { IconButton } from '../parts/bits.tsx'
import { HandsetView } from '../parts/handset.tsx'
import { PayerMode } from '../parts/payer-mode.tsx'

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
