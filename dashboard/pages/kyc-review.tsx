import type { KycReview } from '../../src/client/types.ts'
import type { ReviewKycRequest } from '../../src/generated/control/types.ts'
import schema from 'schema:reviewKyc?reasons'
import { act, busy } from '../core/actions.ts'
import { session } from '../core/session.ts'
import { Button } from '../parts/bits.tsx'
import { Form } from '../parts/form.tsx'
import { askFor, commonReasons, documentNames } from './kyc-rules.ts'

type Step = 'in_review' | 'approved' | 'rejected'

const done: { readonly [step in Step]: string } = {
  in_review: 'In review.',
  approved: 'Approved; the Team has its new tier.',
  rejected: 'Rejected.',
}

/** A manual review, which replaces the scheduled one. */
export function ReviewForm({ of: { id, status, documents, submission } }: { of: KycReview }) {
  if (status !== 'pending' && status !== 'in_review')
    return status === 'rejected' ? (
      <p class="in-card soft">
        The Team may amend it by <code>PUT /api/v2/account_kycs/{id}</code>; it is pending again then.
      </p>
    ) : null
  const review = (step: Step) =>
    void act(async ({ client }) => {
      await client.kyc.review(id, { status: step })
      return done[step]
    })
  const missing = Object.keys(documentNames).filter(
    (field) =>
      !documents.some(({ name }) => name === field) &&
      (submission.entity_type === 'business' || !field.startsWith('entity_')),
  )
  return (
    <section class="part" aria-label="Review">
      <div class="row">
        <Button kind="main" icon="check" disabled={busy.value} onClick={() => review('approved')}>
          Approve
        </Button>
        {status === 'pending' && (
          <Button disabled={busy.value} onClick={() => review('in_review')}>
            Start review
          </Button>
        )}
      </div>
      <details class="fold">
        <summary>Reject, or request a document</summary>
        <Form<ReviewKycRequest>
          of={schema}
          fields={{
            reasons: {
              label: 'Reasons, one per line',
              suggestions: [...commonReasons, ...missing.map(askFor)],
              input: { required: true },
            },
          }}
          action="Reject"
          kind="danger"
          send={async (body) => {
            await session.peek()!.client.kyc.review(id, { ...body, status: 'rejected' })
            return done.rejected
          }}
        />
      </details>
    </section>
  )
}
