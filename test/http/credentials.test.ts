import { describe, expect, it } from 'vitest'
import { routesOf } from '../../openapi/document.ts'
import { ALL_SERVED, descriptions } from '../support/descriptions.ts'
import { isForAnybody } from '../support/operations.ts'
import { call, refused, startSandbox } from '../support/sandbox.ts'

const PASSWORD = 'pä:ss:wörd '
const { sandbox } = await startSandbox(ALL_SERVED)
const { sandbox: other } = await startSandbox({ SANDBOX_API_PASSWORD: PASSWORD })

const base64 = (text: string | Uint8Array) => Buffer.from(text as string).toString('base64')
const account = '/api/v2/account/63'
const missing = refused(401, 'unauthenticated', /^missing or invalid credentials: send Authorization: Basic /)

const wrong: [what: string, header: string | undefined][] = [
  ['nothing', undefined],
  ['an empty header', ''],
  ['the scheme alone', 'Basic'],
  ['the scheme and a space', 'Basic '],
  ['another scheme', `Bearer ${base64('demo:demo')}`],
  ['plain text', 'Basic demo:demo'],
  ['no base64', 'Basic %%%%'],
  ['two words', `Basic ${base64('demo:demo')} ${base64('demo:demo')}`],
  ['no colon', `Basic ${base64('demo')}`],
  ['an empty user', `Basic ${base64(':demo')}`],
  ['an empty password', `Basic ${base64('demo:')}`],
  ['nothing but a colon', `Basic ${base64(':')}`],
  ['a wrong password', `Basic ${base64('demo:Demo')}`],
  ['a longer password', `Basic ${base64('demo:demo:')}`],
  ['an unknown user', `Basic ${base64('nobody:demo')}`],
  ['a user of an object', `Basic ${base64('__proto__:demo')}`],
  ['a constructor', `Basic ${base64('constructor:demo')}`],
  ['a world without a name', `Basic ${base64('demo+:demo')}`],
  ['a world with a slash', `Basic ${base64('demo+a/b:demo')}`],
  ['a world with a long name', `Basic ${base64(`demo+${'a'.repeat(65)}:demo`)}`],
  ['a world of an unknown user', `Basic ${base64('nobody+a:demo')}`],
  ['non-ASCII text', `Basic ${base64('dëmo:dëmo')}`],
  ['bytes that are no UTF-8', `Basic ${base64(new Uint8Array([0xff, 0x3a, 0xfe]))}`],
  ['a zero byte', `Basic ${base64('demo\0:demo')}`],
]

describe('401', () => {
  it.each(wrong)('for %s', async (_, header) => {
    const headers = header === undefined ? {} : { authorization: header }
    const answer = await call(sandbox, 'GET', account, undefined, headers as Record<string, string>)
    expect(answer).toMatchObject(missing)
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="payments-sandbox"')
  })

  it.each([
    [
      'a fetch of a page',
      { 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' },
    ],
    ['a page without Sec-Fetch', { 'x-requested-with': 'XMLHttpRequest' }],
  ])("%s receives no scheme that opens the browser's sign-in box", async (_, headers) => {
    for (const path of [account, '/sandbox/requests']) {
      const { status, headers: told } = await call(sandbox, 'GET', path, undefined, headers as {})
      expect([status, told.get('www-authenticate')]).toEqual([401, 'xBasic realm="payments-sandbox"'])
    }
  })

  it.each([
    [
      'a page opened by its reader',
      { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' },
    ],
    ['the fetch of Node', { 'sec-fetch-mode': 'cors' }],
  ])('%s receives the scheme Basic', async (_, headers) => {
    const { headers: told } = await call(sandbox, 'GET', account, undefined, headers as {})
    expect(told.get('www-authenticate')).toBe('Basic realm="payments-sandbox"')
  })

  // What steers the process has a guard and tests of its own.
  const routes = descriptions
    .flatMap(({ document }) => routesOf(document))
    .filter(
      ({ path, operation }) =>
        !path.startsWith('/__admin') && operation.security?.length !== 0 && !isForAnybody(operation),
    )
  const asked = routes.map(({ id, method, path }) => ({ id, method: method.toUpperCase(), path }))

  it.each(asked)('before anything else is looked at: $id', async ({ method, path }) => {
    const url = `${path.replace(/\{\w+\}/g, 'no-number')}?account_id=x&page=x&limit=x`
    const body = method === 'GET' ? undefined : '{"broken'
    const answer = await call(sandbox, method, url, body, { 'content-type': 'text/plain' })
    expect(answer).toMatchObject(missing)
  })

  it('for a body over the limit', async () => {
    const answer = await call(sandbox, 'POST', '/api/v2/payments', 'x'.repeat(10 << 20))
    expect(answer).toMatchObject(missing)
  })
})

describe('200', () => {
  it.each([
    ['the scheme in other letters', `bASIC ${base64('demo:demo')}`],
    ['base64 without its padding', `Basic ${base64('demo:demo').replace(/=+$/, '')}`],
    ['spaces around', `Basic   ${base64('demo:demo')}  `],
  ])('for %s', async (_, authorization) => {
    expect((await call(sandbox, 'GET', account, undefined, { authorization })).status).toBe(200)
  })

  it('for a password with colons, a space and letters beyond ASCII', async () => {
    const authorization = `Basic ${base64(`demo:${PASSWORD}`)}`
    expect((await call(other, 'GET', account, undefined, { authorization })).status).toBe(200)
    const cut = `Basic ${base64('demo:pä')}`
    expect(await call(other, 'GET', account, undefined, { authorization: cut })).toMatchObject(missing)
  })
})
