import type { InboxMessage } from '../../src/client/types.ts'
import { Pill } from './bits.tsx'

type Signed = Pick<InboxMessage, 'signature_valid'>

/** Describes whether a signature is valid. */
export const verdict = ({ signature_valid }: Signed) =>
  signature_valid === null ? 'not signed' : signature_valid ? 'signature holds' : 'signature fails'

export const Verdict = ({ of }: { of: Signed }) => (
  <Pill tone={of.signature_valid === null ? 'plain' : of.signature_valid ? 'good' : 'bad'}>
    {verdict(of)}
  </Pill>
)
