import type { ComponentChildren } from 'preact'
import type { KycReview } from '../../src/client/types.ts'
import { money } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Article, Button, Facts, Said, Status, Time } from '../parts/bits.tsx'
import { Icon } from '../parts/icon.tsx'
import { Missing } from '../parts/list-states.tsx'
import type { ReviewKycRequest } from '../../src/generated/control/types.ts'
import reviewSchema from 'schema:reviewKyc?reasons'
import { act, busy } from '../core/actions.ts'
import { Form } from '../parts/form.tsx'

interface Props {
  readonly of: KycReview | undefined
  readonly id: string
  /** Whether the list is loaded, so that a missing item does not exist. */
  readonly known: boolean
}

/** A submission with its requirements and the manual review. */
export function KycDetail({ of: kyc, id, known }: Props) {
  if (!kyc)
    return (
      <Missing
        title={`Submission ${id} not found`}
        words="The world was reset, or the submission is older than the list."
        loading={!known}
      />
    )
  const { account_id, team, status, reasons, submission, documents, created_at, updated_at, revision } = kyc
  return (
    <Article title={team || `Team ${account_id}`} beside={<Status of={status} />}>
      <Facts
        of={[
          [
            'Team',
            <a href={hrefOf('teams', account_id)}>
              <Said>{team}</Said> ({account_id})
            </a>,
          ],
          ['Sent', <Time at={created_at} />],
          ...(updated_at === created_at
            ? []
            : [[status.replace('_', ' '), <Time at={updated_at} />] as const]),
          ['Version', revision > 1 && revision],
          ...(reasons.length > 0
            ? [
                [
                  'Rejected as',
                  reasons.map((reason) => (
                    <p key={reason}>
                      <Said>{reason}</Said>
                    </p>
                  )),
                ] as const,
              ]
            : []),
        ]}
      />
      <ReviewForm key={`${kyc.id} ${revision}`} of={kyc} />
      <Tier of={kyc} />
      <Sent of={submission} />
      <section class="part">
        <h3>Documents</h3>
        {documents.length === 0 ? (
          <p class="soft">None.</p>
        ) : (
          <ul class="documents">
            {documents.map(({ of, name, url }) => (
              <li key={`${of} ${name}`}>
                <DocumentLink url={url}>
                  {words(name)}
                  {of === 'entity' && ', business'}
                </DocumentLink>
              </li>
            ))}
          </ul>
        )}
        <p class="soft small">The sandbox has never looked at them; the links lead where the sender said.</p>
      </section>
    </Article>
  )
}

/** Only web addresses become links. */
const DocumentLink = ({ url, children }: { url: string; children: ComponentChildren }) =>
  /^https?:\/\//i.test(url) ? (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {children}
      <span class="unseen"> in another window</span>
    </a>
  ) : (
    <span>
      {children}: <Said>{url}</Said>
    </span>
  )

/** What approval changes, and what the reviewer checks. */
function Tier({ of: kyc }: { of: KycReview }) {
  const { client } = session.value!
  const { value } = useValue(() => client.teams.get(kyc.account_id), [kyc.account_id], ['team'])
  const now = value?.team
  const { limits, kyc_tier } = kyc
  const tier = kyc.status === 'approved' ? undefined : now?.kyc_tier
  return (
    <section class="part halves-in">
      <div>
        <h3>Requirements</h3>
        <ul class="rules">
          {rulesFor(kyc, tier).map(({ words: rule, met }) => (
            <li key={rule} class={met ? 'met' : 'unmet'}>
              <Icon name={met ? 'check' : 'close'} />
              <span>
                {rule}
                {!met && <span class="soft">, missing</span>}
              </span>
            </li>
          ))}
        </ul>
        <p class="soft small">Assumed: the service tells which fields there are, not which it needs.</p>
      </div>
      <div>
        <h3>Effect</h3>
        <Facts
          bare
          of={[
            [
              'Tier',
              kyc.status === 'approved' || now === undefined
                ? (kyc_tier ?? 'the same')
                : `${now.kyc_tier}, ${kyc_tier ?? now.kyc_tier} once approved`,
            ],
            ['A payment', limits && `up to ${money(limits.per_transaction, 'KES')}`],
            ['A day', limits && `up to ${money(limits.per_day, 'KES')} each way`],
            [
              'It may',
              limits &&
                ([
                  limits.wallet_collections_allowed && 'collect into its wallet',
                  limits.payouts_allowed && 'pay out',
                ]
                  .filter(Boolean)
                  .join(' and ') ||
                  'collect into channels only'),
            ],
          ]}
        />
      </div>
    </section>
  )
}

const words = (field: string) => field.replaceAll('_', ' ')

/** The submitted fields without documents. */
function Sent({
  of: { contact_information, entity_information, account_information, ...rest },
}: {
  of: KycReview['submission']
}) {
  const parts: readonly (readonly [string, object | undefined])[] = [
    ['General', rest],
    ['Person', contact_information],
    ['Business', entity_information],
    ['The Team’s own details', account_information],
  ]
  return (
    <>
      {parts.map(([title, part]) => {
        const fields = Object.entries(part ?? {}).filter(
          ([name, value]) => name !== 'upload_information' && value !== '' && value !== undefined,
        )
        return fields.length === 0 ? null : (
          <section key={title} class="part">
            <h3>{title}</h3>
            <Facts
              bare
              of={fields.map(([name, value]) => [
                words(name),
                <Said>{typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)}</Said>,
              ])}
            />
          </section>
        )
      })}
    </>
  )
}

type Step = 'in_review' | 'approved' | 'rejected'

const doneWords: { readonly [step in Step]: string } = {
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
      return doneWords[step]
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
          of={reviewSchema}
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
            return doneWords.rejected
          }}
        />
      </details>
    </section>
  )
}

export interface Rule {
  readonly words: string
  readonly met: boolean
}

type Fields = { readonly [field: string]: unknown }

const has = (part: Fields | undefined, ...fields: readonly string[]) =>
  fields.every((field) => part?.[field] !== undefined && part[field] !== '')

/** @param tier - the Team's current tier */
export function rulesFor(
  { submission, documents, kyc_tier }: KycReview,
  tier: number | undefined,
): readonly Rule[] {
  const contact = submission.contact_information as Fields | undefined
  const entity = submission.entity_information as Fields | undefined
  const file = (name: string) => documents.some((each) => each.name === name)
  const business: readonly Rule[] = [
    { words: 'A registered name and its directors', met: has(entity, 'entity_name', 'entity_directors') },
    { words: 'Number of the certificate', met: has(entity, 'entity_certificate_number') },
    { words: 'Number of the tax registration', met: has(entity, 'tax_document_number') },
    { words: 'An address', met: has(entity, 'entity_address') },
    { words: 'The certificate as a document', met: file('entity_certificate_document') },
  ]
  return [
    {
      words: 'A tier above the Team’s',
      met: tier === undefined || (kyc_tier !== null && kyc_tier > tier),
    },
    { words: 'Whether a person or a business', met: has(submission, 'entity_type') },
    { words: 'A country', met: has(submission, 'country_code') || has(submission, 'country') },
    { words: 'First and last name of the person', met: has(contact, 'first_name', 'last_name') },
    {
      words: 'Kind and number of the identification',
      met: has(contact, 'identification_type', 'identification_number'),
    },
    { words: 'Front of the identification', met: file('identification_front_document') },
    { words: 'Back of the identification', met: file('identification_back_document') },
    { words: 'A selfie', met: file('selfie_image') },
    ...(submission.entity_type === 'business' ? business : []),
  ]
}

/** In order of frequency. */
export const commonReasons: readonly string[] = [
  'The selfie is not legible.',
  'The identification has expired.',
  'The identification is cut off.',
  'The name is not the one of the identification.',
  'The address cannot be proven.',
  'The certificate is of another business.',
]

/** Documents by field. */
export const documentNames: { readonly [field: string]: string } = {
  identification_front_document: 'front of the identification',
  identification_back_document: 'back of the identification',
  selfie_image: 'selfie',
  secondary_identification_front_document: 'front of a second identification',
  secondary_identification_back_document: 'back of a second identification',
  tax_document: 'tax registration',
  proof_of_address_document: 'proof of address',
  entity_certificate_document: 'certificate of the business',
  entity_shareholding_document: 'statement of shareholders',
}

export const askFor = (field: string) => `Send the ${documentNames[field] ?? field} (${field}).`
