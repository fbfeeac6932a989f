import { describe, expect, it } from 'vitest'
import { provenanceOf } from '../../src/ui/provenance/entries.ts'
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

  it('is a page for a browser', async () => {
    const { headers, text } = await get('/sandbox/provenance', { accept: 'text/html,*/*;q=0.8' })
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    expect(text).toContain('POST /api/v2/payments')
    expect(headers.get('vary')).toMatch(/Accept/)
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

  it('takes what says nothing of itself as its operation or schema is', () => {
    expect(of('page')).toMatchObject({ kind: 'parameter', provenance: 'assumed' })
    expect(of('200')).toMatchObject({ kind: 'status', provenance: 'assumed' })
    expect(of('200 Link')).toMatchObject({ kind: 'header', provenance: 'assumed' })
    expect(of('Thing.tags')).toMatchObject({ kind: 'field', provenance: 'observed', note: 'Seen.' })
    expect(of('Thing.tags[].name')).toMatchObject({ kind: 'field', provenance: 'observed' })
  })

  it('believes what a part says of itself', () => {
    expect(of('per')).toMatchObject({ provenance: 'observed' })
    expect(of('404')).toMatchObject({ provenance: 'documented', note: 'Said in section 7.' })
    expect(of('Thing.id')).toMatchObject({ provenance: 'documented', note: '' })
  })
})
