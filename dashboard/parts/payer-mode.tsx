import type { WorldSettings } from '../../src/client/types.ts'
import { act } from '../core/actions.ts'
import { useValue } from '../core/resource.ts'
import { session } from '../core/session.ts'
import { Button } from './bits.tsx'

type Payer = WorldSettings['payer']

/** The setting `payer`, or undefined until it is loaded. */
export function usePayer(): { readonly payer: Payer; readonly settle_after: string } | undefined {
  const { client, world } = session.value!
  return useValue(() => client.show(), [world], ['settings']).value?.settings
}

const choose = (payer: Payer, done: string) =>
  void act(async ({ client }) => {
    await client.configure({ payer })
    return done
  })

/** Shows whether prompts wait for an answer, and switches that. */
export function PayerMode() {
  const settings = usePayer()
  if (!settings) return null
  const { payer, settle_after } = settings
  if (payer === 'automatic')
    return (
      <p class="line payer-mode">
        <span class="soft">Payments settle by themselves after {settle_after}.</span>
        <Button
          needs="own"
          kind="main"
          title="Prompts and checkout pages only wait while a handset is open here"
          onClick={() => choose('manual_while_watched', 'Prompts wait for you while a handset is open.')}
        >
          Hold prompts for me
        </Button>
      </p>
    )
  return (
    <p class="line payer-mode">
      <span class="soft">
        {payer === 'manual'
          ? 'Prompts always wait for their payer.'
          : 'Prompts wait for you while this is open. Otherwise payments settle automatically.'}
      </span>
      <Button needs="own" onClick={() => choose('automatic', 'Payments settle automatically.')}>
        Settle automatically
      </Button>
    </p>
  )
}
