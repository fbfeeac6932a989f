import type { Explanation, TriedRule } from '../../src/generated/control/types.ts'
import { counted } from '../core/format.ts'
import { hrefOf } from '../core/route.ts'
import { Pill, Said } from '../parts/bits.tsx'

const decided: { readonly [by in Explanation['decided_by']]: string } = {
  header: 'the request selected it by a header',
  queue: 'it was queued for this request',
  enabled: 'it is on',
  when: 'its conditions match',
  default: 'no scenario matched, so the default applied',
  rejected: 'it was rejected before any scenario was evaluated',
}

/** Maximum number of nearly matching rules shown unfolded. */
const NEAREST = 3

/** Explains which scenario decided, and which nearly did. */
export function Why({
  of: { decided_by, scenario, outcome, overridden, rules: tried, nearest },
}: {
  of: Explanation
}) {
  const first = nearest[0]
  const missed = tried
    .filter(({ matched, scenario: name }) => !matched && name !== first?.scenario)
    .toSorted((one, other) => one.misses.length - other.misses.length)
  const all = first ? [first, ...missed] : missed
  const rest = all.slice(NEAREST)
  return (
    <section class="part why" tabIndex={-1} aria-label="Why this response">
      <h3>Why</h3>
      <p>
        {scenario ? (
          <>
            <a href={hrefOf('scenarios', scenario)}>
              <Pill tone="info">{scenario}</Pill>
            </a>{' '}
            {decided[decided_by]}
            {outcome && `: ${outcome}`}.
          </>
        ) : (
          `${decided[decided_by].charAt(0).toUpperCase()}${decided[decided_by].slice(1)}.`
        )}
      </p>
      {overridden.length > 0 && (
        <p class="soft">
          It went before <Said>{overridden.join(', ')}</Said>, which also matched.
        </p>
      )}
      {all.length > 0 && (
        <details class="fold">
          <summary>Near matches</summary>
          <ul class="near">
            {all.slice(0, NEAREST).map((rule) => (
              <Near key={rule.scenario} rule={rule} />
            ))}
          </ul>
          {rest.length > 0 && (
            <details class="fold">
              <summary>{counted(rest.length, 'other')}</summary>
              <ul class="near">
                {rest.map((rule) => (
                  <Near key={rule.scenario} rule={rule} />
                ))}
              </ul>
            </details>
          )}
        </details>
      )}
    </section>
  )
}

const Near = ({ rule: { scenario, misses } }: { rule: TriedRule }) => (
  <li>
    <b>{scenario}</b>
    {misses.map(({ field, must, value }) => (
      <span key={field} class="soft">
        <code>{field}</code> must {must.replace(/^must /, '')}
        {value !== null && (
          <>
            , it is{' '}
            <code>
              <Said>{value}</Said>
            </code>
          </>
        )}
      </span>
    ))}
  </li>
)
