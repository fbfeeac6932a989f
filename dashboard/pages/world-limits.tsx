import type { CostBand, TierLimits } from '../../src/generated/control/types.ts'
import { Button } from '../parts/bits.tsx'

interface Props<Row> {
  readonly of: readonly Row[]
  readonly set: (rows: Row[]) => void
  readonly fault: string | undefined
}

const numberOf = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
  Number(currentTarget.value)
const put = <Row,>(rows: readonly Row[], n: number, change: Partial<Row>) =>
  rows.map((row, m) => (m === n ? { ...row, ...change } : row))

export function Tiers({ of, set, fault }: Props<TierLimits>) {
  const box = (n: number, name: 'wallet_collections_allowed' | 'payouts_allowed', title: string) => (
    <td>
      <input
        type="checkbox"
        aria-label={`Tier ${n} ${title}`}
        checked={of[n]![name]}
        onChange={({ currentTarget }) => set(put(of, n, { [name]: currentTarget.checked }))}
      />
    </td>
  )
  const amount = (n: number, name: 'per_transaction' | 'per_day', title: string) => (
    <td>
      <input
        type="number"
        min="0"
        step="any"
        aria-label={`Tier ${n}, most ${title}`}
        value={of[n]![name]}
        onInput={(event) => set(put(of, n, { [name]: numberOf(event) }))}
      />
    </td>
  )
  return (
    <div class="scroll-x">
      <table class="limits">
        <caption>Tiers, in KES</caption>
        <thead>
          <tr>
            <th scope="col">Tier</th>
            <th scope="col">Collects</th>
            <th scope="col">Pays out</th>
            <th scope="col">A transaction</th>
            <th scope="col">A day</th>
          </tr>
        </thead>
        <tbody>
          {of.map((_, n) => (
            <tr key={n}>
              <th scope="row">{n}</th>
              {box(n, 'wallet_collections_allowed', 'collects into its wallet')}
              {box(n, 'payouts_allowed', 'pays out')}
              {amount(n, 'per_transaction', 'a transaction')}
              {amount(n, 'per_day', 'a day')}
            </tr>
          ))}
        </tbody>
      </table>
      <Fault of={fault} />
    </div>
  )
}

export function Costs({ of, set, fault }: Props<CostBand>) {
  return (
    <div class="scroll-x">
      <table class="limits">
        <caption>Costs, in KES</caption>
        <thead>
          <tr>
            <th scope="col">Up to</th>
            <th scope="col">Costs</th>
            <th scope="col">
              <span class="unseen">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ up_to, cost }, n) => (
            <tr key={n}>
              <td>
                <input
                  type="number"
                  min="0"
                  step="any"
                  aria-label={`Band ${n + 1}, up to`}
                  placeholder="unlimited"
                  value={up_to ?? ''}
                  onInput={(event) =>
                    set(put(of, n, { up_to: event.currentTarget.value === '' ? null : numberOf(event) }))
                  }
                />
              </td>
              <td>
                <input
                  type="number"
                  min="0"
                  step="any"
                  aria-label={`Band ${n + 1}, cost`}
                  value={cost}
                  onInput={(event) => set(put(of, n, { cost: numberOf(event) }))}
                />
              </td>
              <td>
                <Button
                  needs="own"
                  kind="quiet"
                  disabled={of.length === 1}
                  title={`Remove band ${n + 1}`}
                  onClick={() => set(of.filter((_, m) => m !== n))}
                >
                  Remove
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Button needs="own" icon="plus" onClick={() => set([{ up_to: 0, cost: 0 }, ...of])}>
        Add a band
      </Button>
      <Fault of={fault} />
    </div>
  )
}

const Fault = ({ of }: { of: string | undefined }) =>
  of ? (
    <p class="wrong small" role="alert">
      {of}
    </p>
  ) : null
