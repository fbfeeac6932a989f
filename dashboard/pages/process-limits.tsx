import { useValue } from '../core/resource.ts'
import { session } from '../core/session.ts'
import { Loading } from '../parts/list-states.tsx'
import { Said } from '../parts/bits.tsx'

/** The world's limits in this process and their usage. */
export function Limits() {
  const { client, world } = session.value!
  const { value, error } = useValue(() => client.show(), [world])
  return (
    <section class="card" aria-label="Limits of a world">
      <header class="bar">
        <h2>
          Limits of <Said>{world}</Said>
        </h2>
      </header>
      {error ? (
        <p class="in-card wrong">{error}</p>
      ) : !value ? (
        <Loading />
      ) : (
        <ul class="plain-list limits-list">
          {(value.budget ?? []).map(({ name, unit, used, limit, setting }) => (
            <li key={name}>
              <span class="line">
                <span title={setting}>{name.replaceAll('_', ' ')}</span>
                <span class="soft num">
                  {amount(used, unit)} of {limit === null ? 'unlimited' : amount(limit, unit)}
                </span>
              </span>
              {limit !== null && limit > 0 && (
                <meter
                  min={0}
                  max={limit}
                  high={limit * 0.8}
                  value={Math.min(used, limit)}
                  aria-label={`${name.replaceAll('_', ' ')} used`}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function amount(value: number, unit: string): string {
  if (unit !== 'bytes')
    return `${value.toLocaleString('en')}${unit === 'per_minute' ? ' a minute' : unit === 'per_day' ? ' a day' : ''}`
  if (value < 1_024) return `${value} B`
  return value < 1_048_576 ? `${Math.round(value / 1_024)} KiB` : `${Math.round(value / 1_048_576)} MiB`
}
