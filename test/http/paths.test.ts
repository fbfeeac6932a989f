import { describe, expect, it } from 'vitest'
import { routesOf } from '../../openapi/document.ts'
import { ALL_SERVED, descriptions } from '../support/descriptions.ts'
import { call, refused, startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const { sandbox: serving } = await startSandbox(ALL_SERVED)

/** Callbacks come here, which are not described as an operation: their address stands for credentials. */
const inbox = { method: 'post', path: '/sandbox/inbox/{name}' }
const routes = [...descriptions.flatMap(({ document }) => routesOf(document)), inbox]
const paths = [...new Set(routes.map(({ path }) => path))].map((path) => ({
  path,
  there: routes.filter((route) => route.path === path).map(({ method }) => method.toUpperCase()),
}))
const methods = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']

describe('405 with the methods in Allow', () => {
  const wrong = paths.flatMap(({ path, there }) =>
    methods.filter((method) => !there.includes(method)).map((method) => ({ method, path, there })),
  )
  it.each(wrong)('$method $path', async ({ method, path, there }) => {
    const asked = path.replace(/\{\w+\}/g, '63')
    const answer = await call(serving, method, asked)
    const message = `${method} is not allowed on ${asked}; allowed: ${answer.headers.get('allow')}`
    const { error_message } = answer.body
    expect(answer).toMatchObject(refused(405, 'method_not_allowed', error_message))
    expect(error_message.split('; use ')[0]).toBe(message)
    expect(answer.headers.get('allow')!.split(', ').sort()).toEqual(there.toSorted())
  })
})

describe('405 for unknown operations', () => {
  it.each([
    ['DELETE', '/livez', 'GET'],
    ['POST', '/readyz', 'GET'],
    ['POST', '/metrics', 'GET'],
    ['PUT', '/invites/x', 'GET, POST'],
    ['POST', '/docs/service.json', 'GET'],
    ['POST', '/docs/guides', 'GET'],
    ['PUT', '/checkout/w/1', 'GET, POST'],
    ['POST', '/openapi.json', 'GET'],
  ])('%s %s, which takes %s', async (method, path, allow) => {
    const { status, headers, body } = await call(sandbox, method, path)
    expect([status, headers.get('allow'), body.error_code]).toEqual([405, allow, 'method_not_allowed'])
  })
})

describe('405 with a suggestion', () => {
  it.each([
    ['GET', '/api/v2/accounts/63', 'GET /api/v2/account/{account_id}'],
    ['PUT', '/api/v2/accounts/63', 'PUT /api/v2/accounts with account_id in the body'],
    ['PATCH', '/api/v2/account/63', 'PUT /api/v2/accounts with account_id in the body'],
    ['DELETE', '/api/v2/account/63', 'DELETE /api/v2/accounts/{account_id}'],
    ['DELETE', '/api/v2/accounts', 'DELETE /api/v2/accounts/{account_id}'],
    ['GET', '/api/v2/accounts', 'GET /api/v2/user_profile/{user_id}, which lists the Teams'],
    ['PUT', '/api/v2/account_kycs', 'PUT /api/v2/account_kycs/{id}'],
    ['GET', '/api/v2/account_kycs/501', 'GET /sandbox/kyc/{id}; the service has nothing to read KYC back'],
    ['GET', '/api/v2/payments', 'POST /api/global/transaction-status with request_id in the body'],
    [
      'GET',
      '/api/global/transaction-status',
      'POST /api/global/transaction-status with request_id in the body',
    ],
    [
      'POST',
      '/api/global/discovery/payment-world/country',
      'GET with country in the query, such as ?country=KE',
    ],
  ])('%s %s: %s', async (method, path, use) => {
    const { status, body, headers } = await call(sandbox, method, path)
    expect([status, body.error_message]).toEqual([
      405,
      `${method} is not allowed on ${path}; allowed: ${headers.get('allow')}; use ${use}`,
    ])
  })
})

describe('404', () => {
  it.each([
    ['GET', '/api/v2/account/63/', 'GET /api/v2/account/{account_id}'],
    ['GET', '/api/v2/payment_channels/', 'GET /api/v2/payment_channels'],
    ['POST', '/api/v2/payments/', 'POST /api/v2/payments'],
    ['DELETE', '/api/v2/account_invites/', 'DELETE /api/v2/account_invites'],
    ['GET', '//api/v2/account/63', 'GET /api/v2/account/{account_id}'],
    ['POST', '/v2/payments', 'POST /api/v2/payments'],
    ['POST', '/withdraw', 'POST /api/v2/withdraw'],
    ['POST', '/payments', 'POST /api/v2/payments'],
    ['PUT', '/accounts', 'PUT /api/v2/accounts'],
    ['POST', '/transaction-status', 'POST /api/global/transaction-status'],
    ['GET', '/api/v2/payments/UFD003217286.iI', 'POST /api/global/transaction-status with request_id'],
    ['GET', '/api/global/payments/UFD003217286.iI', 'POST /api/global/transaction-status with request_id'],
    ['POST', '/api/v2/paymets', 'POST /api/v2/payments'],
    ['PUT', '/api/v2/acounts', 'PUT /api/v2/accounts'],
    ['GET', '/api/v2/acount/63', 'GET /api/v2/account/{account_id}'],
    ['GET', '/sandbox/callback', 'GET /sandbox/callbacks'],
    ['GET', '/api/v2/teams', '/api/v2/accounts and /api/v2/account/{account_id}'],
    ['POST', '/api/v2/collections', 'POST /api/v2/payments'],
    ['POST', '/api/v1/payments', 'POST /api/v2/payments'],
    ['POST', '/api/v1/withdraw', 'POST /api/v2/withdraw'],
    ['POST', '/api/global/payment', 'POST /api/global/payments'],
    ['POST', '/api/v2/global/payments', 'POST /api/global/payments'],
    ['POST', '/api/v2/withdrawals', 'POST /api/v2/withdraw'],
    ['POST', '/api/v2/kyc', 'POST /api/v2/account_kycs'],
    ['GET', '/api/v2/channels', 'GET /api/v2/payment_channels'],
    ['POST', '/api/v2/invites', 'POST /api/v2/account_invites'],
    ['GET', '/api/v2/user_profile', 'GET /api/v2/user_profile/{user_id}'],
    ['GET', '/api/global/discovery', 'GET /api/global/discovery/payment-world/country?country=KE'],
  ])('%s %s, with the right path: %s', async (method, path, use) => {
    const answer = await world()[method.toLowerCase() as 'get'](path)
    expect(answer).toMatchObject(refused(404, 'resource_not_found', `path ${path} was not found; use ${use}`))
  })

  it.each([
    ['POST', '/api/v2/payments/initiate-stk-push', 'POST /api/v2/payments, which sends the prompt'],
    ['POST', '/api/v2/payments/stk_push', 'POST /api/v2/payments, which sends the prompt'],
    ['GET', '/api/v2/wallets', 'GET /api/v2/account/{account_id}'],
    ['POST', '/api/v2/topup', 'POST /'],
    ['GET', '/api/v2/payment_channels/1501', 'GET /api/v2/payment_channels'],
    [
      'GET',
      '/api/global/discovery/payment-world/country/KE',
      'GET /api/global/discovery/payment-world/country?',
    ],
    ['GET', '/api/global/accounts/63/balance', 'GET /api/v2/account/{account_id}'],
    ['GET', '/api/transaction_fees', 'GET /sandbox/worlds/current'],
    ['POST', '/api/v2/disbursements', 'POST /api/v2/withdraw'],
    ['GET', '/api/v2/bank_paybills', 'POST /api/global/transaction-providers'],
    ['POST', '/api/currency/convert', 'POST /api/global/payments'],
    ['GET', '/api/v2/transactions', 'POST /api/global/transaction-status with request_id'],
    ['GET', '/api/v2/transaction-status', 'POST /api/global/transaction-status with request_id'],
  ])('%s %s of the previous API generation, with its replacement: %s', async (method, path, use) => {
    const { status, body } = await world()[method.toLowerCase() as 'get'](path)
    expect([status, body.error_message]).toEqual([
      404,
      expect.stringContaining(`path ${path} was not found; use ${use}`),
    ])
  })

  const older = descriptions.find(({ name }) => name === 'extensions')!.document
  const off = routesOf(older).map(({ method, path }) => [method.toUpperCase(), path.replace(/\{\w+\}/, '63')])
  it.each(off)('%s %s says how it is had', async (method, path) => {
    const { status, body } = await world()[method.toLowerCase() as 'get'](path)
    // The service has a GET at the path of one.
    expect(status).toBe(path === '/api/v2/payment_channels' ? 405 : 404)
    expect(body.error_message).toMatch(
      /; use .+, or start the sandbox with SANDBOX_EXTENSIONS=on, which serves it$/,
    )
  })

  it.each([
    ['GET', '/api/v2/wallet', 'GET /api/v2/wallets'],
    ['POST', '/api/v2/wallets/topup', 'POST /api/v2/topup'],
    ['GET', '/api/v2/fees', 'GET /api/transaction_fees'],
    ['GET', '/api/v2/banks', 'GET /api/v2/bank_paybills'],
  ])('%s %s, while the previous API generation is served: %s', async (method, path, use) => {
    const { status, body } = await call(serving, method, path)
    expect([status, body.error_message]).toEqual([404, `path ${path} was not found; use ${use}`])
  })

  it.each(['/openapi-extensions.json', '/openapi-extensions.yaml'])('%s says so too', async (path) => {
    const { status, body } = await call(sandbox, 'GET', path)
    expect([status, body.error_message]).toEqual([
      404,
      `path ${path} was not found; start the sandbox with SANDBOX_EXTENSIONS=on, which serves it`,
    ])
  })

  it.each([
    '/nope',
    '/api',
    '/api/v2/%E0%A4%A',
    '/__proto__',
    '/api/v2/constructor',
    '/a/../b%2f',
    `/${'x'.repeat(9000)}`,
  ])('GET %s, with nothing to suggest', async (path) => {
    const asked = new URL(path, 'http://sandbox.test').pathname
    expect(await world().get(path)).toMatchObject(
      refused(404, 'resource_not_found', `path ${asked} was not found`),
    )
  })
})

describe('an invalid parameter', () => {
  const whole = 'must be a whole number in digits, such as 63, got'

  it.each([
    ['%E0%A4%A', '%E0%A4%A'],
    ['63%20', '63 '],
    ['6.3', '6.3'],
    ['1e2', '1e2'],
    ['0x3f', '0x3f'],
    ['__proto__', '__proto__'],
    ['%D9%A6%D9%A3', '٦٣'],
  ])('400 for /api/v2/account/%s', async (sent, shown) => {
    const answer = await world().get(`/api/v2/account/${sent}`)
    expect(answer).toMatchObject(refused(400, 'invalid_argument', `account_id ${whole} "${shown}"`))
  })

  it.each([
    ['page=', `page ${whole} ""`],
    ['page=%ff', `page ${whole} "%ff"`],
    ['page=1e400', `page ${whole} "1e400"`],
    ['per=0', 'per must be at least 1, got 0'],
    ['per=101', 'per must be at most 100, got 101'],
    ['page=0', 'page must be at least 1, got 0'],
    ['page=99999999999999999999', /^page must be/],
  ])('400 for /api/v2/payment_channels?%s', async (query, message) => {
    const answer = await world().get(`/api/v2/payment_channels?${query}`)
    expect(answer).toMatchObject(refused(400, 'invalid_argument', message))
  })

  it.each(['__proto__=1&constructor=2&toString=3', '=', '&&&', 'page', '%ff=%ff', 'unknown[]=1'])(
    'ignores other parameters of the query %s',
    async (query) => {
      const expected = query === 'page' ? 400 : 200
      expect((await world().get(`/api/v2/payment_channels?${query}`)).status).toBe(expected)
    },
  )

  it('400 for a repeated query parameter', async () => {
    const w = world()
    expect(await w.delete('/api/v2/account_invites?account_id=63&account_id=64&user_id=2')).toMatchObject(
      refused(400, 'invalid_argument', 'account_id must be sent once, got "63" and "64"'),
    )
    expect((await w.get('/api/v2/payment_channels?colour=red&colour=blue')).status).toBe(200)
  })

  it('400 for a number out of range, quoted as sent', async () => {
    expect(await world().get('/api/v2/account/99999999999999999999')).toMatchObject(
      refused(
        400,
        'invalid_argument',
        'account_id must be at most 9007199254740991, got "99999999999999999999"',
      ),
    )
  })
})
