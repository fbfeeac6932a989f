import { useState } from 'preact/hooks'
import type { KycReview } from '../../src/client/types.ts'
import { mayChange } from '../core/access.ts'
import { act, busy } from '../core/actions.ts'
import { Button, ChipButton } from '../parts/bits.tsx'
import { askFor, commonReasons, documentNames } from './kyc-rules.ts'

type Step = 'in_review' | 'approved' | 'rejected'

const done: { readonly [step in Step]: string } = {
  in_review: 'In review.',
  approved: 'Approved; the Team has its new tier.',
  rejected: 'Rejected.',
}

/** A manual review, which replaces the scheduled one. */
export function ReviewForm({ of: { id, status, documents, submission } }: { of: KycReview }) {
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [own, setOwn] = useState('')
  if (status !== 'pending' && status !== 'in_review')
    return status === 'rejected' ? (
      <p class="in-card soft">
        The Team may amend it by <code>PUT /api/v2/account_kycs/{id}</code>; it is pending again then.
      </p>
    ) : null
  const review = (step: Step, reasons: readonly string[] = []) =>
    void act(async ({ client }) => {
      await client.kyc.review(id, { status: step, ...(reasons.length > 0 && { reasons: [...reasons] }) })
      return done[step]
    })
  const written = own
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const toggle = (reason: string) =>
    setChosen((before) =>
      before.includes(reason) ? before.filter((each) => each !== reason) : [...before, reason],
    )
  const missing = Object.keys(documentNames).filter(
    (field) =>
      !documents.some(({ name }) => name === field) &&
      (submission.entity_type === 'business' || !field.startsWith('entity_')),
  )
  const asked = chosen.filter((reason) => !commonReasons.includes(reason))
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
        <div class="fields">
          <div class="chips" role="group" aria-label="Common reasons">
            {[...commonReasons, ...asked].map((reason) => (
              <ChipButton key={reason} pressed={chosen.includes(reason)} onClick={() => toggle(reason)}>
                {reason}
              </ChipButton>
            ))}
          </div>
          <label>
            Request a document
            <select
              value=""
              disabled={!mayChange.value}
              onChange={(event) => {
                const { value } = event.currentTarget
                if (value) toggle(askFor(value))
                event.currentTarget.value = ''
              }}
            >
              <option value="">choose a document…</option>
              {missing.map((field) => (
                <option key={field} value={field}>
                  {documentNames[field]}
                </option>
              ))}
            </select>
          </label>
          <label>
            Reasons, one per line
            <textarea
              rows={2}
              maxLength={2_000}
              value={own}
              disabled={!mayChange.value}
              onInput={({ currentTarget }) => setOwn(currentTarget.value)}
            />
          </label>
          <Button
            kind="danger"
            disabled={busy.value || chosen.length + written.length === 0}
            title="Choose or write a reason first"
            onClick={() => review('rejected', [...chosen, ...written])}
          >
            Reject
          </Button>
        </div>
      </details>
    </section>
  )
}
