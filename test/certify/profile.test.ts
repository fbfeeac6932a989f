/** Profiles: read, and refused with everything that is wrong with them. */
import { describe, expect, it } from 'vitest'
import { ProfileError } from '../../src/certify/checked-file.ts'
import { profileOfOptions, readProfile } from '../../src/certify/read-profile.ts'
import { certify } from '../../src/certify/library.ts'
import type { ProfileFile } from '../../src/certify/profile.ts'

const faultsOf = async (text: string) => {
  const error: unknown = await readProfile('certify.yaml', text).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ProfileError)
  return (error as ProfileError).message.split('\n')
}

describe('a profile with mistakes', () => {
  it('reports all errors with line, column and a suggestion', async () => {
    const text = `profil: shop
receiver: { url: nowhere, within: soon }
features: [collect, refunds]
trigger:
  http: { url: "http://127.0.0.1:3000/pay/\${ordr}" }
  command: npm run pay
probe:
  http: { url: "http://127.0.0.1:3000/orders/\${order}", metod: POST }
  read: { state: status }
  means: { payed: [done], paid: [done], open: [done] }
waivers: { RCV-81: { until: 2026-12-31, by: Jane, ticket: S-1, because: it does } }
`
    const faults = await faultsOf(text)
    expect(faults).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^certify\.yaml:1:1 .*"profil" is not a known key \(did you mean profile\?\)/),
        expect.stringMatching(/^certify\.yaml:2:18 url must be an http or https URL, got "nowhere"/),
        expect.stringMatching(/^certify\.yaml:2:35 .*soon/),
        expect.stringMatching(/^certify\.yaml:3:21 .*"refunds" is not a feature/),
        expect.stringMatching(/^certify\.yaml:5:16 .*\$\{ordr\}.* \(did you mean \$\{order\}\?\)/),
        expect.stringMatching(/^certify\.yaml:6:3 http and command exclude each other; keep one/),
        expect.stringMatching(/^certify\.yaml:8:57 .*"metod" is not a known key \(did you mean method\?\)/),
        expect.stringMatching(/^certify\.yaml:9:18 .*must be a path such as \$\.order\.status/),
        expect.stringMatching(/^certify\.yaml:10:12 .*"payed" is not a known key \(did you mean paid\?\)/),
        expect.stringMatching(/^certify\.yaml:10:48 "done" means p\w+ already/),
        expect.stringMatching(/^certify\.yaml:11:12 RCV-81 is not a check \(did you mean RCV-\d+\?\)/),
      ]),
    )
  })

  it.each([
    ['trigger: {}', /trigger needs one of http, command, manual/],
    ['probe: { command: cat order.json }', /probe needs read/],
    ['probe: { manual: true, read: { state: $.a } }', /"manual" is not a known key/],
    ['reconcile: { command: ./reconcile }', /reconcile needs read/],
    ['user: demo', /must be a name and a password, such as demo:demo/],
    ['isolation: word', /"word" is not an isolation \(did you mean world\?\)/],
    ['waivers: { RCV-18: { by: Jane, because: it does } }', /until.*\n.*ticket/],
    ['waivers: { RCV-18: { until: soon, by: J, ticket: S-1, because: b } }', /must be a day such as/],
    ['waivers: { RCV-18: { until: 2099-12-31, by: J, ticket: S-1, because: b } }', /at most a year ahead/],
    ['waivers: { RCV-2: { until: 2026-12-31, by: J, ticket: S-1, because: b } }', /RCV-2 cannot be waived/],
    ['client: { patience: 1 }', /1 is shorter than 500ms/],
    ['receiver: { url: "http://a.test", within: 2h }', /"2h" is longer than/],
    ['profile: [unclosed', /certify\.yaml:\d+:\d+ /],
    ['- a list', /must be a map with profile/],
    ['', /must be a map/],
  ])('%s', async (line, message) => {
    const text =
      line.startsWith('profile') || line.startsWith('-') || line === '' ? line : `profile: shop\n${line}`
    expect((await faultsOf(text)).join('\n')).toMatch(message)
  })

  it('names the field of a profile object', () => {
    const wrong = { profile: 'shop', trigger: 7, probe: { ask: 'x' } } as unknown as ProfileFile
    expect(() => profileOfOptions(wrong)).toThrow(/profile\.trigger.*must be/)
  })
})

describe('a profile', () => {
  it('requires only a name', async () => {
    expect(await readProfile('certify.yaml', 'profile: shop')).toMatchObject({
      profile: 'shop',
      port: 8080,
      isolation: 'shared',
      user: { username: 'demo', password: 'demo' },
      receiver: { within: 5_000, signatures: 'standard' },
      client: { patience: 2_000, finds_out: 10_000, slow: 2_000 },
      features: ['collect', 'reversals', 'status-queries'],
    })
  })

  it.each([
    ['http: { url: "http://a.test/pay", body: { at: "${sandbox}", key: "${authorization}" } }', 'world'],
    ['command: ./pay "$order" --at "$sandbox"', 'world'],
    ['http: { url: "http://a.test/pay", body: { order: "${order}" } }', 'shared'],
  ])('with %s as its trigger runs checks in: %s', async (trigger, isolation) => {
    const profile = await readProfile('certify.yaml', `profile: shop\ntrigger:\n  ${trigger}\n`)
    expect(profile.isolation).toBe(isolation)
  })

  it('expands environment variables', async () => {
    const text = 'profile: shop\nreceiver: { url: "http://a.test", secret: "${env.SHOP_SECRET}" }'
    const { receiver } = await readProfile('certify.yaml', text, { SHOP_SECRET: 'whsec_abc' })
    expect(receiver.secret).toBe('whsec_abc')
  })

  it('uses the names of states by default', async () => {
    const probe = 'probe: { command: ./ask, read: { state: $.s }, means: { open: [paid], paid: [1] } }'
    const profile = await readProfile('certify.yaml', `profile: shop\n${probe}`)
    expect(profile.probe?.means).toMatchObject({ open: ['paid'], paid: ['1'], failed: ['failed'] })
  })
})

it('refuses a variable that is not set, and accepts an empty one', async () => {
  const text = "profile: shop\ntrigger: { http: { url: 'http://127.0.0.1:1/${env.SHOP_PATH}' } }\n"
  await expect(readProfile('certify.yaml', text, {})).rejects.toThrow(
    '${env.SHOP_PATH}: there is no variable SHOP_PATH; set it, to an empty text if you mean that',
  )
  expect((await readProfile('certify.yaml', text, { SHOP_PATH: '' })).variables).toEqual({
    'env.SHOP_PATH': '',
  })
})

it('names the redirect of a trigger', async () => {
  const origin = 'https://shop.example'
  const { checks } = await certify({
    only: ['RCV-1'],
    receivers: { [origin]: () => new Response(null, { status: 302, headers: { location: '/login' } }) },
    profile: {
      profile: 'shop',
      receiver: { url: `${origin}/callback` },
      trigger: { http: { url: `${origin}/test/checkout`, body: { authorization: '${authorization}' } } },
    },
  })
  expect(checks[0]).toMatchObject({ verdict: 'inconclusive' })
  expect(checks[0]!.observed).toContain('responded with 302, a redirect to /login, which is not followed')
})
