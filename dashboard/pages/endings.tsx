import type { SimulateTransactionRequest } from '../../src/generated/control/types.ts'
import { act, busy } from '../core/actions.ts'
import type { Reason } from '../core/reasons.ts'
import { Button, PickButton } from '../parts/bits.tsx'

/** Settles or reverses a transaction. */
export function Endings({
  reference,
  status,
  reasons,
}: {
  reference: string
  status: string
  reasons: readonly Reason[]
}) {
  const end = (how: SimulateTransactionRequest, done: string) =>
    void act(async ({ client }) => {
      await client.transactions.simulate(reference, how)
      return done
    })
  if (status === 'SUCCESS')
    return (
      <section class="card endings" aria-label="Next steps">
        <p class="soft">
          The payment succeeded. The operator may still reverse it, which sends a second callback.
        </p>
        <Button disabled={busy.value} onClick={() => end({ outcome: 'reversed' }, 'Reversed.')}>
          Reverse it
        </Button>
      </section>
    )
  if (status !== 'QUEUED') return null
  return (
    <section class="card endings" aria-label="Settle">
      <p class="soft">The payment waits for its payer. Settle it now:</p>
      <div class="row">
        <Button kind="main" disabled={busy.value} onClick={() => end({ outcome: 'success' }, 'Succeeded.')}>
          Succeed
        </Button>
        <PickButton
          label="Reason"
          options={reasons.map((each) => [each, each.replaceAll('_', ' ')])}
          action="Fail"
          disabled={busy.value}
          onPick={(reason) => end({ outcome: 'failed', reason: reason as Reason }, 'Failed.')}
        />
      </div>
    </section>
  )
}
