import type { SignatureCheck } from '../../src/client/types.ts'
import type { SignatureDiagnosis } from '../../src/generated/control/types.ts'
import { Block, Card, Pill, Said } from '../parts/bits.tsx'
import { Empty } from '../parts/list-states.tsx'

/** The result of a signature check. */
export function DoctorFindings({ found }: { found: SignatureCheck | undefined }) {
  if (!found)
    return (
      <Card title="Findings">
        <Empty icon="search" title="Nothing checked yet">
          <p>
            The check shows the profile, the bytes that should have been signed, and the most likely mistake:
            another secret, a modified or re-serialised body, a wrong clock.
          </p>
        </Empty>
      </Card>
    )
  return (
    <>
      {found.diagnoses.map((each, n) => (
        <Findings key={n} of={each} />
      ))}
    </>
  )
}

const Findings = ({
  of: { profile, valid, received, expected, signed, mistakes },
}: {
  of: SignatureDiagnosis
}) => (
  <Card
    title={profile ? `Profile ${profile}` : 'No signature'}
    label="Findings"
    beside={<Pill tone={valid ? 'good' : 'bad'}>{valid ? 'valid' : 'does not hold'}</Pill>}
  >
    <ul class="plain-list" aria-label="Mistakes">
      {valid && <li>A receiver with this secret accepts it.</li>}
      {mistakes.map(({ code, message }, n) => (
        <li key={code}>
          <span>
            <b>{n === 0 ? 'Most likely' : 'And'}</b> <code>{code}</code>
          </span>
          <Said>{message}</Said>
        </li>
      ))}
    </ul>
    {received && expected && received.value !== expected.value && (
      <section class="part">
        <h3>
          Header <code>{received.header}</code>
        </h3>
        <h4>Came</h4>
        <Block label="Received signature" text={received.value} />
        <h4>Expected</h4>
        <Block label="Expected signature" text={expected.value} />
      </section>
    )}
    {signed && (
      <section class="part">
        <h3>Bytes that should have been signed</h3>
        <Block label="Bytes that should have been signed" text={signed.text} />
        <details class="fold">
          <summary>In base64</summary>
          <Block label="As base64" text={signed.base64} />
        </details>
      </section>
    )}
  </Card>
)
