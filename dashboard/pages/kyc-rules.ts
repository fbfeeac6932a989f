/**
 * The reviewer's checklist. The service documents the fields but not which are required, so this is assumed.
 */
import type { KycReview } from '../../src/client/types.ts'

export interface Rule {
  readonly words: string
  readonly met: boolean
}

type Part = { readonly [field: string]: unknown }

const has = (part: Part | undefined, ...fields: readonly string[]) =>
  fields.every((field) => part?.[field] !== undefined && part[field] !== '')

/** @param tier - the Team's current tier */
export function rulesFor(
  { submission, documents, kyc_tier }: KycReview,
  tier: number | undefined,
): readonly Rule[] {
  const contact = submission.contact_information as Part | undefined
  const entity = submission.entity_information as Part | undefined
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
