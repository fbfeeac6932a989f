import type { InboxMessage } from '../../src/client/types.ts'
import { Pill } from './bits.tsx'

type Signed = Pick<InboxMessage, 'signature_holds'>

/** Describes whether a signature is valid. */
export const verdict = ({ signature_holds }: Signed) =>
  signature_holds === null ? 'not signed' : signature_holds ? 'signature holds' : 'signature fails'

export const Verdict = ({ of }: { of: Signed }) => (
  <Pill tone={of.signature_holds === null ? 'plain' : of.signature_holds ? 'good' : 'bad'}>
    {verdict(of)}
  </Pill>
)
