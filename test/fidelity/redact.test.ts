import { describe, expect, it } from 'vitest'
import type { HarEntry } from '../../src/fidelity/har.ts'
import { createRedactor, leaksIn } from '../../src/fidelity/redact.ts'
import { nubanDigit } from '../../src/service/domain/countries/networks.ts'

const exchange = (parts: {
  url?: string
  headers?: Record<string, string>
  post?: [type: string, text: string]
  response?: string
  answerHeaders?: Record<string, string>
}): HarEntry => {
  const fields = (of: Record<string, string> = {}) =>
    Object.entries(of).map(([name, value]) => ({ name, value }))
  return {
    startedDateTime: '2026-11-23T10:00:00.000Z',
    time: 5,
    request: {
      method: 'POST',
      url: parts.url ?? 'https://api.example/api/v2/payments',
      headers: fields(parts.headers),
      ...(parts.post && { postData: { mimeType: parts.post[0], text: parts.post[1] } }),
    },
    response: {
      status: 200,
      headers: fields(parts.answerHeaders),
      content: { size: 0, mimeType: 'application/json', text: parts.response ?? '' },
    },
  }
}

it('keeps the scheme of a signature', () => {
  const value = `v1,${Buffer.alloc(32, 7).toString('base64')}`
  const clean = createRedactor('key')(exchange({ headers: { 'webhook-signature': value } }))
  const made = clean.request.headers[0]!.value
  expect(made).toMatch(/^v1,[\w+/]{43}=$/)
  expect(made).not.toBe(value)
})

const json = (value: unknown): [string, string] => ['application/json', JSON.stringify(value)]
const bodyOf = (entry: HarEntry) => JSON.parse(entry.request.postData!.text)

const names = [
  'Wanjiru',
  'Achieng',
  'Njoroge',
  'Kiptanui',
  'Chukwuemeka',
  'Mwanajuma',
  'Banda',
  'Renée',
  'Kgosietsile',
  'Uwimana',
]
const digits = (n: number, width: number) =>
  String((n * 7_919 + 1_234_567) % 10 ** width).padStart(width, '1')
const luhn = (serial: string) =>
  [...Array(10).keys()].find((last) => {
    const sum = [...`${serial}${last}`].toReversed().reduce((total, digit, n) => {
      const each = n % 2 === 1 ? Number(digit) * 2 : Number(digit)
      return total + (each > 9 ? each - 9 : each)
    }, 0)
    return sum % 10 === 0
  })!

/** Two hundred values: twenty of each kind. */
const corpus: Record<string, readonly string[]> = {
  phones: Array.from({ length: 20 }, (_, n) => {
    const dial = ['254', '255', '256', '250', '260', '233', '267'][n % 7]!
    return `${dial}${dial === '267' ? '7' : '72'}${digits(n + 3, 7)}`
  }),
  local: Array.from({ length: 20 }, (_, n) => `07${digits(n + 31, 8)}`),
  people: Array.from({ length: 20 }, (_, n) =>
    `${names[n % 10]} ${names[(n * 3 + 1) % 10]}ov${n}`.replace(/\d/g, (d) => 'abcdefghij'[Number(d)]!),
  ),
  emails: Array.from({ length: 20 }, (_, n) => `${names[n % 10]!.toLowerCase()}.${n}@duka-${n}.co.ke`),
  documents: Array.from({ length: 20 }, (_, n) => `A${digits(n + 77, 8)}K`),
  cards: Array.from({ length: 20 }, (_, n) => {
    const serial = `541275${digits(n + 9, 9)}`
    return `${serial}${luhn(serial)}`
  }),
  accounts: Array.from({ length: 20 }, (_, n) => `11${digits(n + 55, 8)}`),
  passwords: Array.from({ length: 20 }, (_, n) => `hunter-${digits(n, 6)}-Zebra`),
  tokens: Array.from({ length: 20 }, (_, n) => `sk_live_${digits(n, 6)}QwErTyUiOp${n}`),
  sessions: Array.from(
    { length: 20 },
    (_, n) => `sess${digits(n + 5, 9)}abcdefghijklmnop${digits(n, 9)}xyz0123`,
  ),
}

/** Every value in headers, query, nested JSON, forms, callbacks, broken bodies and error texts. */
function entriesWithCorpus(): readonly HarEntry[] {
  return Array.from({ length: 20 }, (_, n) => {
    const at = (kind: string) => corpus[kind]![n]!
    const body = {
      phone_number: at('phones'),
      customer: {
        first_name: at('people').split(' ')[0],
        last_name: at('people').split(' ')[1],
        email: at('emails'),
      },
      documents: [{ id_number: at('documents') }],
      payment_config: {
        account_number: at('accounts'),
        callback_url: `https://me:${at('passwords')}@shop.example/cb?token=${at('sessions')}`,
      },
      card: { pan: at('cards') },
      note: `call ${at('local')} about ${at('cards')}`,
    }
    const told = `${at('people')} (${at('emails')}) with +${at('phones')}, ${at('local')} and card ${at(
      'cards',
    )
      .replace(/(.{4})/g, '$1 ')
      .trim()}, id ${at('documents')}, account ${at('accounts')}, key ${at('tokens')}, password ${at('passwords')}`
    return [
      exchange({
        headers: {
          authorization: `Basic ${btoa(`shop-${n}:${at('passwords')}`)}`,
          cookie: `sid=${at('sessions')}`,
          'x-api-key': at('tokens'),
          'x-customer': at('emails'),
        },
        url: `https://api.example/people/${at('phones')}?phone=${at('local')}&email=${encodeURIComponent(at('emails'))}&access_token=${at('sessions')}`,
        post: json(body),
        response: JSON.stringify({ error_message: told, party: Number(at('phones')) }),
        answerHeaders: { 'set-cookie': `sid=${at('sessions')}`, location: `/x?token=${at('sessions')}` },
      }),
      exchange({
        post: [
          'application/x-www-form-urlencoded',
          new URLSearchParams({
            phone: at('local'),
            full_name: at('people'),
            password: at('passwords'),
            card_number: at('cards'),
            national_id: at('documents'),
            account_number: at('accounts'),
          }).toString(),
        ],
        response: `<p>${told}</p>`,
      }),
      exchange({
        post: [
          'application/json',
          `{"phone_number":"${at('phones')}","id_number":"${at('documents')}","last_name":"${at('people').split(' ')[1]}","secret":"${at('tokens')}","email":"${at('emails')}`,
        ],
        response: JSON.stringify({ success: false, message: told, reference: 'UFU004453187.iI' }),
      }),
    ]
  }).flat()
}

describe('a recording', () => {
  it('contains none of 200 sensitive values', () => {
    const redact = createRedactor('a key')
    const text = JSON.stringify(entriesWithCorpus().map((entry) => redact(entry)))
    const values = Object.values(corpus).flat()
    expect(values).toHaveLength(200)
    expect(
      values.filter((value) => text.includes(value) || text.includes(encodeURIComponent(value))),
    ).toEqual([])
    const lastNames = corpus['people']!.map((name) => name.split(' ')[1]!)
    expect(lastNames.filter((name) => text.includes(name))).toEqual([])
    expect(text).toContain('UFU004453187.iI')
  })

  it('passes its own check, and a recording without redaction does not', () => {
    const redact = createRedactor('a key')
    const entries = entriesWithCorpus()
    expect(leaksIn(entries.map((entry) => redact(entry)))).toEqual([])
    expect(leaksIn(entries).length).toBeGreaterThan(400)
  })
})

describe('a pseudonym', () => {
  const redacted = (value: unknown, redact = createRedactor('a key')) =>
    bodyOf(redact(exchange({ post: json(value) })))

  it('keeps the country, the prefix of the operator and the length of a phone, in every spelling', () => {
    const { a, b, c } = redacted({ a: '+254 712 345 678', b: '0712345678', c: '254712345678' })
    expect(a).toMatch(/^\+254 712 \d{3} \d{3}$/)
    expect(a.replace(/\D/g, '')).toBe(c)
    expect(`254${b.slice(1)}`).toBe(c)
    expect(c).not.toBe('254712345678')
  })

  it('is a number where the value was one', () => {
    expect(redacted({ phone_number: 254_712_345_678 }).phone_number).toSatisfy(
      (value) => typeof value === 'number' && String(value).startsWith('254712'),
    )
  })

  it('has a valid check digit for cards, IBANs and Nigerian accounts', () => {
    const serial = '123456789'
    const given = {
      pan: '4111111111111111',
      iban: 'GB82WEST12345698765432',
      bank_code: '058',
      account_number: `${serial}${nubanDigit('058', serial)}`,
    }
    const { pan, iban, account_number } = redacted(given)
    expect(pan).toMatch(/^411111\d{10}$/)
    expect(luhn(pan.slice(0, -1))).toBe(Number(pan.at(-1)))
    expect(iban).toMatch(/^GB\d\d/)
    const moved = [...(iban.slice(4) + iban.slice(0, 4))].map((sign) => Number.parseInt(sign, 36)).join('')
    expect(BigInt(moved) % 97n).toBe(1n)
    expect(nubanDigit('058', account_number.slice(0, 9))).toBe(Number(account_number[9]))
    for (const [name, value] of Object.entries({ pan, iban, account_number }))
      expect(value).not.toBe(given[name as 'pan'])
  })

  it('is the same in fields and in free text', () => {
    const { customer_name, text } = redacted({
      customer_name: 'Achieng Otieno',
      text: 'Achieng Otieno is not registered',
    })
    expect(text).toBe(`${customer_name} is not registered`)
  })

  it('leaves test numbers, amounts, ids, times and references as they are', () => {
    const plain = {
      phone_number: '254700000026',
      amount: 150_000,
      account_id: 63,
      channel_id: 1502,
      created_at: '2026-11-23T10:00:00Z',
      reference: 'UFU004453187.iI',
      checkout_request_id: '0d4e8f1c-5a53-4a0e-9c8e-6f2b7c1d9a10',
      network_name: 'M-PESA',
    }
    expect(redacted(plain)).toEqual(plain)
  })

  it('differs between recordings', () => {
    const value = { phone_number: '254712345678' }
    expect(redacted(value)).not.toEqual(redacted(value, createRedactor('another key')))
  })
})
