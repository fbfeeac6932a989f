import { describe, expect, it } from 'vitest'
import { provenanceOf } from '../../src/pages/provenance/entries.ts'
import { startPages } from './pages.ts'

const { get } = await startPages()

describe('GET /sandbox/provenance', () => {
  it('lists every operation, status and field, without credentials', async () => {
    const { status, json } = await get('/sandbox/provenance')
    expect(status).toBe(200)
    const { summary, entries } = json
    expect(summary.documented + summary.observed + summary.assumed).toBe(entries.length)
    const operations = entries.filter((each: { kind: string }) => each.kind === 'operation')
    expect(operations).toHaveLength(16)
    expect(entries).toContainEqual({
      kind: 'status',
      operation: 'listPaymentChannels',
      name: '200',
      provenance: 'assumed',
      note: expect.stringMatching(/\w/),
    })
    expect(entries).toContainEqual(
      expect.objectContaining({
        kind: 'field',
        name: 'CollectionResponse.CheckoutRequestID',
        provenance: 'documented',
      }),
    )
  })

  it('lists the origin of results, networks and codes, each once', async () => {
    const { entries } = (await get('/sandbox/provenance')).json
    const of = (name: string) => entries.filter((each: { name: string }) => each.name === name)
    const entry = (kind: string, name: string, provenance: string, note: unknown) => [
      { kind, operation: '', name, provenance, note },
    ]
    expect(of('Results.cancelled')).toEqual(
      entry('result', 'Results.cancelled', 'observed', '1032 "Request Cancelled by user."'),
    )
    expect(of('Results.daily_limit')).toMatchObject([
      { provenance: 'assumed', note: expect.stringMatching(/code is observed, the text assumed$/) },
    ])
    expect(of('Results.reversed')).toMatchObject([{ provenance: 'assumed' }])
    expect(of('Networks.KE.m-pesa.m-pesa')).toMatchObject([{ provenance: 'observed' }])
    expect(of('Networks.KE.hosted_card.ke-hosted-card-card-visa')).toMatchObject([{ provenance: 'assumed' }])
    expect(of('Networks.TZ.yellowcard.tz-yellowcard-momo-m-pesa')).toMatchObject([{ provenance: 'assumed' }])
    expect(of('NetworkCodes.68')).toEqual(
      entry('code', 'NetworkCodes.68', 'observed', expect.stringMatching(/^Equity/)),
    )
    expect(of('ProviderNetwork.provider_id')).toMatchObject([{ provenance: 'assumed' }])
    expect(of('AvailableProviders.card')).toMatchObject([{ provenance: 'assumed' }])
    const names = entries.filter((each: { operation: string }) => each.operation === '')
    expect(new Set(names.map((each: { name: string }) => each.name)).size).toBe(names.length)
  })

  it('returns a page to browsers', async () => {
    const { headers, text } = await get('/sandbox/provenance', { accept: 'text/html,*/*;q=0.8' })
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    expect(text).toContain('POST /api/v2/payments')
    expect(headers.get('vary')).toMatch(/Accept/)
  })
})

describe('the page of provenance', () => {
  it('has collapsed groups with counts, and an anchor for everything', async () => {
    const { text } = await get('/sandbox/provenance', { accept: 'text/html' })
    const { json } = await get('/sandbox/provenance')
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]!)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ['createCollection', 'createCollection.status.201', 'CreateCollectionRequest.amount'])
      expect(ids).toContain(id)
    for (const [, id] of text.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(id)
    expect(text.match(/<li /g)).toHaveLength(json.entries.length)
    expect(text).not.toContain('<details open')
  })

  it('has a filter that its script shows, under a policy that allows no other script', async () => {
    const { headers, text } = await get('/sandbox/provenance', { accept: 'text/html' })
    expect(text).toMatch(/<form hidden/)
    expect(headers.get('content-security-policy')).toMatch(/script-src 'sha256-[\w+/=]+';/)
  })
})

describe('provenanceOf', () => {
  const description = {
    paths: {
      '/things': {
        parameters: [{ name: 'page' }],
        get: {
          operationId: 'listThings',
          'x-provenance': 'assumed',
          parameters: [{ name: 'per', 'x-provenance': 'observed' }],
          responses: { 200: { headers: { Link: {} } }, 404: { $ref: '#/components/responses/NotFound' } },
        },
      },
    },
    components: {
      responses: { NotFound: { 'x-provenance': 'documented', 'x-provenance-note': 'Said in section 7.' } },
      schemas: {
        Thing: {
          'x-provenance': 'observed',
          'x-provenance-note': 'Seen.',
          properties: {
            id: { 'x-provenance': 'documented' },
            tags: { items: { properties: { name: {} } } },
          },
        },
      },
    },
  }
  const entries = provenanceOf(description)
  const of = (name: string) => entries.find((each) => each.name === name)

  it('inherits the provenance of the operation or schema', () => {
    expect(of('page')).toMatchObject({ kind: 'parameter', provenance: 'assumed' })
    expect(of('200')).toMatchObject({ kind: 'status', provenance: 'assumed' })
    expect(of('200 Link')).toMatchObject({ kind: 'header', provenance: 'assumed' })
    expect(of('Thing.tags')).toMatchObject({ kind: 'field', provenance: 'observed', note: 'Seen.' })
    expect(of('Thing.tags[].name')).toMatchObject({ kind: 'field', provenance: 'observed' })
  })

  it('prefers the provenance of a part itself', () => {
    expect(of('per')).toMatchObject({ provenance: 'observed' })
    expect(of('404')).toMatchObject({ provenance: 'documented', note: 'Said in section 7.' })
    expect(of('Thing.id')).toMatchObject({ provenance: 'documented', note: '' })
  })
})
