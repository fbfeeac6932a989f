import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { collection, globalPayment, withdrawal } from '../support/requests.ts'
import { client, refused, startSandbox } from '../support/sandbox.ts'

const { sandbox, world } = await startSandbox()
const path = '/api/v2/payments'
const invalid = (message: string | RegExp) => refused(400, 'invalid_argument', message)

describe('a body that is not a JSON object', () => {
  it.each([
    ['nothing', '', 'the request body is empty; send a JSON object'],
    ['spaces', ' \n', 'the request body is empty; send a JSON object'],
    ['half an object', '{"amount": 1', /^the request body is not valid JSON: /],
    ['NaN', '{"amount": NaN}', /^the request body is not valid JSON: /],
    ['a comma too many', '{"amount": 1,}', /^the request body is not valid JSON: /],
    ['a form', 'amount=1&phone_number=0712345678', /^the request body is not valid JSON: /],
    ['null', 'null', 'the request body must be an object, got null'],
    ['a list', '[]', 'the request body must be an object, got []'],
    ['a number', '7', 'the request body must be an object, got 7'],
    ['text', '"amount"', 'the request body must be an object, got "amount"'],
    ['true', 'true', 'the request body must be an object, got true'],
  ])('400 for %s', async (_, body, message) => {
    expect(await world().post(path, body)).toMatchObject(invalid(message))
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'json'])(
    '400 for content type %s with any body',
    async (type) => {
      const w = world()
      const answer = await w.post(path, collection(w), { 'content-type': type })
      expect(answer).toMatchObject(invalid(`content-type "${type}" is not accepted; send application/json`))
    },
  )

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.api+json'])(
    '201 for content type %s',
    async (type) => {
      const w = world()
      expect((await w.post(path, collection(w), { 'content-type': type })).status).toBe(201)
    },
  )
})

describe('a body without a content type', () => {
  /** As a browser sends it: bytes have no type, and nobody is asked first. */
  const send = async (headers: Record<string, string>) => {
    const w = world()
    const { status } = await w.get('/api/v2/account/63')
    expect(status).toBe(200)
    const name = w.world().name
    const authorization = `Basic ${btoa(`${name}:demo`)}`
    const body = Buffer.from(JSON.stringify(collection(w)))
    const answer = await sandbox.fetch(
      new Request(`http://sandbox.test${path}`, {
        method: 'POST',
        body,
        headers: { authorization, ...headers },
      }),
    )
    const { transactions } = (await w.get('/sandbox/worlds/current')).body
    return { status: answer.status, body: await answer.json(), transactions }
  }

  it.each<Record<string, string>>([
    { origin: 'https://shop.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('400 from a page of another site, and nothing is paid: %o', async (headers) => {
    expect(await send(headers)).toMatchObject({
      ...invalid('content-type is missing; a page of another site has to send application/json'),
      transactions: 0,
    })
  })

  it.each<Record<string, string>>([{}, { origin: 'http://sandbox.test', 'sec-fetch-site': 'same-origin' }])(
    '201 from a program and from its own page: %o',
    async (headers) => {
      expect(await send(headers)).toMatchObject({ status: 201, transactions: 1 })
    },
  )
})

describe('a compressed body', () => {
  const bytes = gzipSync(JSON.stringify({ amount: 1 }))
  const send = async (to: string, method: string, headers: Record<string, string>) => {
    const sent = { authorization: `Basic ${btoa('demo+compressed:demo')}`, ...headers }
    const answer = await sandbox.fetch(
      new Request(`http://sandbox.test${to}`, { method, headers: sent, body: bytes }),
    )
    return { status: answer.status, body: await answer.json() }
  }
  const json = { 'content-type': 'application/json' }
  const yaml = { 'content-type': 'application/yaml' }

  it.each([
    ['gzip', 'POST', path, json],
    ['br', 'POST', path, json],
    ['gzip', 'POST', '/sandbox/clock/advance', json],
    ['gzip', 'PUT', '/sandbox/scenarios/mine', yaml],
  ])('400 that names the encoding %s, for %s %s', async (encoding, method, to, type) => {
    const headers = { ...type, 'content-encoding': encoding }
    expect(await send(to, method, headers)).toMatchObject(
      invalid(`content-encoding "${encoding}" is not accepted; send the body uncompressed`),
    )
  })

  it('201 for the encoding identity, which is none', async () => {
    const w = world()
    expect((await w.post(path, collection(w), { 'content-encoding': 'identity' })).status).toBe(201)
  })
})

describe('a value that no operation accepts', () => {
  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

  it.each([
    ['1e400', '1e400', 'amount must be a number, got one above 1.8e308'],
    ['-1e400', '-1e400', 'amount must be a number, got one below -1.8e308'],
    ['the text NaN', '"NaN"', 'amount must be a number, got "NaN"'],
    ['a numeric text', '"100"', 'amount must be a number, got "100"'],
    ['null', 'null', 'amount must be a number, got null'],
    ['10,000 nested lists', deep(10_000), /^amount must be a number, got \[/],
    ['250,000 nested lists', deep(250_000), /^amount must be a number, got \[/],
    [
      'a list as long as the body',
      `[${'1,'.repeat(300_000)}1]`,
      /^amount must be a number, got \[1,1.{74,76}…$/,
    ],
    ['an object with __proto__', '{"__proto__": {"valueOf": 1}}', /^amount must be a number, got \{/],
  ])('400 when amount is %s', async (_, amount, message) => {
    const w = world()
    const body = JSON.stringify(collection(w, { amount: 0 })).replace('"amount":0', `"amount":${amount}`)
    expect(await w.post(path, body)).toMatchObject(invalid(message))
    expect((await w.post(path, collection(w))).status).toBe(201)
  })

  it.each([
    ['0', 0],
    ['-0', -0],
    ['negative', -5],
    ['of three decimals', 10.005],
    ['above every limit', 1e15],
    ['beyond whole numbers', 1e300],
    ['the smallest there is', 5e-324],
  ])('400 when amount is %s, of any operation', async (_, amount) => {
    const w = world()
    const answers = [
      await w.post(path, collection(w, { amount })),
      await w.post('/api/v2/withdraw', withdrawal(w, { amount })),
      await w.post('/api/global/payments', globalPayment(w, { amount })),
    ]
    for (const answer of answers) expect(answer).toMatchObject(invalid(/amount/))
  })

  it.each([
    '255754123456',
    '+14155550100',
    '07123',
    '0812345678',
    '٠٧١٢٣٤٥٦٧٨',
    ' ',
    '07123456789',
    'x'.repeat(9999),
  ])('400 when phone_number is %j', async (phone_number) => {
    const w = world()
    expect(await w.post(path, collection(w, { phone_number }))).toMatchObject(invalid(/phone_number/))
  })
})

describe('unknown fields', () => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '', '💳']

  it.each(names)('201 with the field %j, which is ignored', async (name) => {
    const w = world()
    const field = `"${name}": {"amount": 1, "polluted": true}`
    const body = JSON.stringify(collection(w)).replace('{', `{${field},`)
    expect((await w.post(path, body)).status).toBe(201)
    expect(({} as { polluted?: boolean }).polluted).toBe(undefined)
  })

  it('201 with a field nested 10,000 deep', async () => {
    const w = world()
    const nested = '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)
    const body = JSON.stringify(collection(w)).replace('{', `{"metadata":${nested},`)
    expect((await w.post(path, body)).status).toBe(201)
  })

  it('400 if only __proto__ has a required field', async () => {
    const w = world()
    const { amount, ...rest } = collection(w) as Record<string, unknown>
    const body = JSON.stringify(rest).replace('{', `{"__proto__": {"amount": ${String(amount)}},`)
    expect(await w.post(path, body)).toMatchObject(invalid('amount is required'))
  })

  it('the last of two equal keys counts, as in JSON.parse', async () => {
    const w = world()
    const body = JSON.stringify(collection(w)).replace('{', '{"amount": 5,')
    expect((await w.post(path, body)).status).toBe(201)
    await w.settle()
    expect(w.callbacks()[0]!.body.amount).toBe(1000)
  })
})

it.each([
  '/api/v2/account/63',
  '/sandbox/statements?format=csv',
  '/sandbox/signing-secrets',
  '/sandbox/events',
])('the response to GET %s cannot be cached or rendered as a page', async (where) => {
  const { body, headers } = await sandbox.fetch(
    new Request(`http://sandbox.test${where}`, { headers: { authorization: `Basic ${btoa('demo:demo')}` } }),
  )
  await body?.cancel()
  expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
    'no-store',
    'nosniff',
  ])
})

describe('U+0000 is rejected', () => {
  const nul = '\0'
  const escape = String.raw`\u0000`

  it.each([
    ['in a value', `{"reference": "a${escape}b"}`, 'reference'],
    ['in a name', `{"customer": {"a${escape}": 1}}`, 'field names in customer'],
    ['in a nested list', `{"metadata": {"a": [1, "${escape}"]}}`, 'metadata.a[1]'],
    ['unescaped', `{"reference": "a${nul}"}`, 'the request body'],
  ])('returns 400 that names the field if U+0000 is %s', async (_, body, field) => {
    for (const where of [path, '/sandbox/snapshots'])
      expect(await world().post(where, body)).toMatchObject(invalid(`${field} must not contain U+0000`))
  })

  it('returns 400 if a body with U+0000 is nested deeper than 100 levels', async () => {
    const deep = `${'['.repeat(100_000)}"${escape}"${']'.repeat(100_000)}`
    expect(await world().post(path, deep)).toMatchObject(
      invalid('the request body is nested deeper than 100 levels'),
    )
  })

  it('accepts an escaped backslash before u0000', async () => {
    const w = world()
    const answer = await w.post(path, collection(w, { external_reference: `a\\${escape}` }))
    expect(answer.status).toBe(201)
  })

  it.each(['/api/v2/account/%00', '/sandbox/transactions/a%00b', '/checkout/%00/x.y', '/nowhere?a=%00'])(
    '400 in the path %s',
    async (where) => {
      const answer = await world().get(where)
      expect(answer).toMatchObject(invalid('the URL of the request must not contain U+0000 (%00)'))
    },
  )

  it('401 in a user name and in a password', async () => {
    for (const [name, password] of [
      [`demo${nul}`, 'demo'],
      [`demo+a${nul}`, 'demo'],
      ['demo', `demo${nul}`],
    ])
      expect((await client(sandbox, name!, password!).get('/api/v2/account/63')).status).toBe(401)
  })

  it('400 in a scenario of YAML, by each of its escapes', async () => {
    const file = (title: string) =>
      `scenarios:\n  - name: odd\n    title: "${title}"\n    then: { fail: timeout }\n`
    for (const title of [
      `a${escape}`,
      String.raw`a\0`,
      String.raw`a\x00`,
      String.raw`a\U00000000`,
      `a${nul}`,
    ]) {
      const answer = await world().put('/sandbox/scenarios/odd', file(title), {
        'content-type': 'application/yaml',
      })
      expect(answer).toMatchObject(invalid(/ must not contain U\+0000$/))
    }
  })

  it('400 in a row that is imported', async () => {
    const w = world()
    const exported = (await w.get('/sandbox/export')).body
    exported.rows.users[0].name = `a${nul}`
    expect(await w.post('/sandbox/import', exported)).toMatchObject(invalid(/ must not contain U\+0000$/))
  })

  it('400 in a form', async () => {
    const { sandbox: open } = await startSandbox({ SANDBOX_SIGN_UP: 'open' })
    const form = { method: 'POST', body: 'action=sign-up&name=a%00b' }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await open.fetch(new Request('http://sandbox.test/sign-up', { ...form, headers }))
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('must not contain U+0000')
  })
})

it('names the kinds of work if an imported job has another', async () => {
  const w = world()
  const exported = (await w.get('/sandbox/export')).body
  exported.rows.jobs = [{ id: 1, due_at: 0, task: { kind: 'constructor' } }]
  expect(await w.post('/sandbox/import', exported)).toMatchObject(
    invalid(/jobs\[0\]\.task\.kind must be one of settle, review, .*, got {"kind":"constructor"}$/),
  )
})

it('gives the documented example of an error', async () => {
  const w = world()
  expect(await w.post(path, collection(w, { amount: 10.555 }))).toMatchObject(
    invalid('amount must have at most 2 decimals in KES, got 10.555'),
  )
})
