import type { CheckId } from './checks.ts'
import { client } from './tries/client.ts'
import { clientPace } from './tries/client-pace.ts'
import { others } from './tries/others.ts'
import { receiverEffects } from './tries/receiver-effects.ts'
import { receiverManners } from './tries/receiver-manners.ts'
import { receiverMisfits } from './tries/receiver-misfits.ts'
import { receiverSignatures } from './tries/receiver-signatures.ts'
import { reconciliation } from './tries/reconciliation.ts'
import { recordClient } from './tries/record-client.ts'
import { recordLookUps } from './tries/record-look-ups.ts'
import { recordReceiver } from './tries/record-receiver.ts'
import type { Try } from './tries/try.ts'

/** How each check is tried; an id without one does not compile. */
export const tries: { readonly [Id in CheckId]: Try } = {
  ...receiverSignatures,
  ...receiverEffects,
  ...receiverMisfits,
  ...receiverManners,
  ...recordReceiver,
  ...client,
  ...clientPace,
  ...recordClient,
  ...recordLookUps,
  ...others,
  ...reconciliation,
}
