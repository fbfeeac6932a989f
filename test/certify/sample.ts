import { type CheckId, checkIds } from '../../src/certify/check-ids.ts'
import { coverageOf } from '../../src/certify/coverage.ts'
import { summaryOf } from '../../src/certify/results.ts'
import type { Certification, CheckResult, Verdict } from '../../src/certify/certification.ts'
import { checkOf } from '../../src/certify/checks.ts'

const BEGAN = Date.parse('2026-06-13T12:00:00Z')
const at = (ms: number) => new Date(BEGAN + ms).toISOString()

/** What came of some checks; the others pass. */
export type Outcomes = { readonly [Id in CheckId]?: Partial<CheckResult> & { readonly verdict: Verdict } }

/** A certification as one that was run has it. */
export function sampleCertification(
  outcomes: Outcomes = {},
  more: Partial<Certification> = {},
): Certification {
  const checks = checkIds.map((id): CheckResult => {
    const { feature: _, ...check } = checkOf(id)
    return {
      ...check,
      verdict: 'pass',
      observed: 'What had to be seen was seen.',
      waiver: null,
      because: null,
      steps: [],
      exchanges: [],
      timeline: [],
      duration_ms: 84,
      ...outcomes[id],
    }
  })
  return {
    certification: 1,
    subject: 'shop-checkout',
    shop_version: '2.4.0',
    mode: 'active',
    sandbox: { version: '0.1.0', url: 'http://127.0.0.1:8080', world: null },
    plan: null,
    profile_hash: null,
    witness: null,
    started_at: at(0),
    ended_at: at(4210),
    expires_at: null,
    duration_ms: 4210,
    features: ['collect', 'withdraw', 'reversals'],
    probe: {
      usable: true,
      counts: true,
      because: 'A payment moved it from waiting to paid, and from 0 to 1 delivery.',
    },
    coverage: coverageOf([]),
    summary: summaryOf(checks),
    checks,
    ...more,
  }
}

const callback = (label: string, ms: number, status: number) => ({
  kind: 'callback' as const,
  label,
  at: at(ms),
  duration_ms: 12,
  method: 'POST',
  url: 'https://shop.test/callback',
  request: {
    headers: [
      { name: 'content-type', value: 'application/json' },
      { name: 'webhook-id', value: 'msg_2LJEtW8x9' },
      { name: 'webhook-timestamp', value: '1781352000' },
      { name: 'webhook-signature', value: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=' },
    ],
    body: '{"success":true,"status":"success","message":"The service request is processed successfully.","reference":"UFD003217286.iI","external_reference":"order-1-1","amount":1000,"currency":"KES"}',
  },
  response: { status, headers: [{ name: 'content-length', value: '0' }], body: '' },
  error: '',
})

/** As a shop may look that delivers twice, believes what came last and answers late. */
export const FAULTY: Outcomes = {
  'RCV-11': {
    verdict: 'fail',
    observed: 'Ten copies were answered 204, and the order was delivered 4 times.',
    steps: [
      'A payment of 1000 KES was started in the shop as order certify-rcv-11.',
      'It succeeded, and ten copies of its callback left at one moment.',
      'The shop was asked what it believes of the order, until it stood still.',
    ],
    timeline: [
      { at: at(0), world_at: at(0), who: 'certify', what: 'starts order certify-rcv-11' },
      { at: at(18), world_at: at(0), who: 'shop', what: 'asks for a payment of 1000 KES' },
      {
        at: at(31),
        world_at: at(5000),
        who: 'sandbox',
        what: 'sends ten copies of the callback at one moment',
      },
      { at: at(44), world_at: at(5000), who: 'shop', what: 'answers 204 ten times' },
      { at: at(60), world_at: at(5000), who: 'certify', what: 'asks the shop: paid, delivered 4 times' },
    ],
    exchanges: [callback('first copy', 31, 204), callback('second copy', 31, 204)],
  },
  'RCV-13': {
    verdict: 'fail',
    observed: 'The reversal was told first and the success after it; the order is paid in the end.',
  },
  'RCV-22': { verdict: 'fail', observed: '31 of 50 were answered within 5 s, the slowest after 7.4 s.' },
  'RCV-18': {
    verdict: 'waived',
    observed: 'The order stays open.',
    waiver: { until: '2026-12-31', by: 'Jane Doe', ticket: 'SHOP-12', because: 'overpayments go to support' },
  },
  'RCV-28': { verdict: 'not_seen', observed: 'The profile does not say how the shop is restarted.' },
  'CLI-6': {
    verdict: 'inconclusive',
    observed: 'The shop did not ask within 10 s, and was busy with another order.',
  },
  'ONB-6': { verdict: 'not_applicable', observed: 'The profile does not name kyc.' },
  'ONB-7': { verdict: 'not_applicable', observed: 'The profile does not name invitations.' },
  'SEC-4': { verdict: 'fail', observed: 'The User-Agent is node.' },
  'REC-2': { verdict: 'not_seen', observed: 'The profile does not say how the shop compares.' },
}

/** What somebody may call a shop, or answer with, to do harm to whoever reads of it. */
export const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '</style></title></details><h1>Ready to go live</h1>',
  '=HYPERLINK("http://evil.test","ready")',
  '| **ready** | [ready](javascript:alert(1)) @everyone `x`',
  ']]><failure/>&amp;\u0000\u001b[31m\u202eydaer\u2066',
  '-->\n::set-output name=x::y',
].join(' ')
