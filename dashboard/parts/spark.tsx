interface Props {
  readonly label: string
  readonly values: readonly number[]
  /** Formats the last value. */
  readonly shown: (value: number) => string
}

const WIDE = 120
const HIGH = 30

/** A sparkline with its last value as text. */
export function Spark({ label, values, shown }: Props) {
  const last = values.at(-1)
  const least = Math.min(...values)
  const most = Math.max(...values)
  const span = most - least || 1
  const step = WIDE / Math.max(1, values.length - 1)
  const points = values
    .map(
      (value, n) =>
        `${(n * step).toFixed(1)},${(HIGH - 2 - ((value - least) / span) * (HIGH - 4)).toFixed(1)}`,
    )
    .join(' ')
  return (
    <div class="card figure spark">
      <dt class="soft">{label}</dt>
      <dd class="num">{last === undefined ? '–' : shown(last)}</dd>
      {values.length > 1 && (
        <svg
          viewBox={`0 0 ${WIDE} ${HIGH}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${label}: from ${shown(least)} to ${shown(most)}`}
        >
          <polyline points={points} />
        </svg>
      )}
    </div>
  )
}
