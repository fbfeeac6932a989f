import type { ComponentChildren } from 'preact'
import type { KycReview } from '../../src/client/types.ts'
import { money } from '../core/format.ts'
import { useValue } from '../core/resource.ts'
import { hrefOf } from '../core/route.ts'
import { session } from '../core/session.ts'
import { Article, Facts, Said, Status, Time } from '../parts/bits.tsx'
import { Icon } from '../parts/icon.tsx'
import { Missing } from '../parts/list-states.tsx'
import { rulesFor } from './kyc-rules.ts'
import { ReviewForm } from './kyc-review.tsx'

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
        <dl class="facts bare">
          <div>
            <dt>Tier</dt>
            <dd>
              {kyc.status === 'approved' || now === undefined
                ? (kyc_tier ?? 'the same')
                : `${now.kyc_tier}, ${kyc_tier ?? now.kyc_tier} once approved`}
            </dd>
          </div>
          {limits && (
            <>
              <div>
                <dt>A payment</dt>
                <dd>up to {money(limits.per_transaction, 'KES')}</dd>
              </div>
              <div>
                <dt>A day</dt>
                <dd>up to {money(limits.per_day, 'KES')} each way</dd>
              </div>
              <div>
                <dt>It may</dt>
                <dd>
                  {[
                    limits.wallet_collections_allowed && 'collect into its wallet',
                    limits.payouts_allowed && 'pay out',
                  ]
                    .filter(Boolean)
                    .join(' and ') || 'collect into channels only'}
                </dd>
              </div>
            </>
          )}
        </dl>
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
            <dl class="facts bare">
              {fields.map(([name, value]) => (
                <div key={name}>
                  <dt>{words(name)}</dt>
                  <dd>
                    <Said>{typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)}</Said>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        )
      })}
    </>
  )
}
