/** The receivers that have shown that they want the callbacks of a world; how they show it is in `verify-target.ts`. */
import type { Look } from '../service/domain/context.ts'
import { CALLBACK_TARGETS } from '../worlds/template.ts'
import { TargetRefused } from './target.ts'

/** Scheme, host and port of a receiver, and until when it counts; milliseconds on the wall. */
export interface VerifiedTarget {
  readonly origin: string
  readonly verified_at: number
  readonly expires_at: number
}

/** The receivers of a world that have shown it, expired ones too. */
export const verifiedIn = ({ rows }: Look): readonly VerifiedTarget[] =>
  (rows.get('state', CALLBACK_TARGETS)?.value ?? []) as readonly VerifiedTarget[]

/** @throws TargetRefused for a receiver that has shown nothing, or too long ago */
export function requireVerified(url: string, verified: readonly VerifiedTarget[], now: number): void {
  const { origin } = new URL(url)
  const found = verified.find((each) => each.origin === origin)
  if (found && found.expires_at > now) return
  throw new TargetRefused(
    `${origin} ${found ? 'has not shown for 90 days' : 'has not shown'} that it wants callbacks of this world (SANDBOX_CALLBACK_TARGETS is verified): POST /sandbox/callback-targets with {"url": "${origin}"}, then send this one again with POST /sandbox/callbacks/{id}/resend`,
  )
}
