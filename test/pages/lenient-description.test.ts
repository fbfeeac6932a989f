import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { startPages } from './pages.ts'

const plain = await startPages()
const lenient = await startPages({ SANDBOX_VALIDATION: 'lenient' })

const auth = { authorization: `Basic ${btoa('demo:demo')}` }
const required = (document: { components: { schemas: Record<string, { required: string[] }> } }) =>
  document.components.schemas['CreateWithdrawalRequest']!.required

describe('the description of a lenient world', () => {
  it.each(['/openapi.json', '/docs/service.json', '/docs/service.json?operation=createWithdrawal'])(
    'requires in %s what the profile requires',
    async (path) => {
      const { json } = await lenient.get(path)
      expect(required(json)).toEqual(['amount', 'channel'])
    },
  )

  it('requires less of providers, and accepts whole numbers as text', async () => {
    const { schemas } = (await lenient.get('/openapi.json')).json.components
    expect(schemas.ProviderConfig.required).toEqual([])
    expect(schemas.VendorConfig.properties.channel_id.type).toEqual(['integer', 'string'])
  })

  it('names its profile, also in YAML', async () => {
    const { json } = await lenient.get('/openapi.json')
    expect(json['x-validation']).toBe('lenient')
    expect(json.info.description).toMatch(/the description of the profile `lenient`/)
    expect(parse((await lenient.get('/openapi.yaml')).text)).toEqual(json)
  })

  it.each([
    '/openapi.json',
    '/openapi.yaml',
    '/docs/service.json',
    '/docs/service.json?operation=createWithdrawal',
  ])('is cached by credentials at %s, with either profile', async (path) => {
    for (const { get } of [plain, lenient])
      expect((await get(path, auth)).headers.get('vary')).toMatch(/\bAuthorization\b/)
    const { headers } = await plain.get(path)
    const known = await plain.get(path, { 'if-none-match': headers.get('etag')! })
    expect([known.status, known.headers.get('vary')]).toEqual([304, headers.get('vary')])
  })

  it('is selected by credentials or by a parameter', async () => {
    expect((await plain.get('/openapi.json')).json['x-validation']).toBeUndefined()
    expect((await plain.get('/openapi.json?validation=lenient')).json['x-validation']).toBe('lenient')
    expect((await plain.get('/openapi.json', auth)).json['x-validation']).toBeUndefined()
    expect((await lenient.get('/openapi.json', auth)).json['x-validation']).toBe('lenient')
    expect((await lenient.get('/openapi.json?validation=documented')).json['x-validation']).toBeUndefined()
    const wrong = { authorization: `Basic ${btoa('demo:no')}` }
    expect((await lenient.get('/openapi.json', wrong)).json['x-validation']).toBeUndefined()
  })

  it('contains this sandbox’s credentials and Teams', async () => {
    const { get } = await startPages({ SANDBOX_VALIDATION: 'lenient', SANDBOX_API_USERNAME: 'shop' })
    const { description } = (await get('/docs/service.json')).json.info
    expect(description).toMatch(/`shop\+anything:/)
    expect(description).toMatch(/^Its Teams: 63 /m)
  })
})
