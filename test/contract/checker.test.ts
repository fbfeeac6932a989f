import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { OpenApiDocument } from '../../openapi/document.ts'
import { checkAnswer, checkCallback, checkResponse, contractOf } from '../support/contract.ts'

const json = { 'content-type': 'application/json; charset=UTF-8' }
const fixture = contractOf([
  JSON.parse(readFileSync('test/openapi/fixtures/generated/openapi.json', 'utf8')) as OpenApiDocument,
])
const traced = { ...json, 'x-trace': 'ab' }
const order = { id: 1, customer: { name: 'Asha', phone: '0712345678' } }

describe('an answer of the fixture', () => {
  it('passes when it is as described, found by operation or by request', () => {
    expect(() => {
      fixture.checkAnswer('getOrder', 200, traced, { order })
      fixture.checkAnswer({ method: 'GET', path: '/orders/63?state=open' }, 200, traced, { order })
      fixture.checkAnswer({ method: 'post', path: '/orders' }, 201, json, { text: 'ab', map: { any: 1 } })
    }).not.toThrow()
  })

  it.each([
    [
      'a status that is not declared',
      202,
      json,
      {},
      'createOrder: status 202 is not declared; declared are 201, 400, 500',
    ],
    [
      'another content type',
      201,
      { 'Content-Type': 'text/plain' },
      {},
      'content type text/plain is not declared; declared are application/json',
    ],
    ['no content type', 201, {}, {}, 'content type (none) is not declared'],
    [
      'an undeclared field',
      201,
      json,
      { colour: 'red' },
      'the body has a field that is not described: colour',
    ],
    [
      'an undeclared field deep inside',
      201,
      json,
      { stripped: { b: 1 } },
      '/stripped has a field that is not described: b',
    ],
    ['a field of the wrong type', 201, json, { array: ['a'] }, '/array/0 must be integer'],
    [
      'a value out of the list',
      201,
      json,
      { enum: 'z' },
      '/enum must be equal to one of the allowed values: a, b',
    ],
    [
      'a text of another format',
      201,
      json,
      { date_time: 'today' },
      '/date_time must match format "date-time"',
    ],
    ['no body', 201, json, undefined, 'the body must be object'],
    ['a refusal of another shape', 400, json, { error: 'no' }, "must have required property 'error_code'"],
    [
      'a refusal without a content of its own that is no Error',
      500,
      json,
      { message: 'no' },
      'createOrder: the body of 500 is no Error',
    ],
  ])('fails with %s', (_, status, headers, body, message) => {
    expect(() => fixture.checkAnswer('createOrder', status, headers, body)).toThrow(message)
  })

  it('fails without a header that is required', () => {
    expect(() => fixture.checkAnswer('getOrder', 200, json, { order })).toThrow(
      'the header X-Trace is missing',
    )
  })

  it('is held to the range of statuses when that is what is declared', () => {
    const body = { error_code: 'a', error_message: 'b', status_code: 418 }
    fixture.checkAnswer('getOrder', 418, json, body)
    expect(() => fixture.checkAnswer('getOrder', 500, json, body)).toThrow('status 500 is not declared')
  })

  it('may have other fields where the schema says so', () => {
    const body = { open: { b: 1 }, rest: { b: 1 }, free: { c: [] }, anything: { d: 1 } }
    fixture.checkAnswer('createOrder', 201, json, body)
    expect(() => fixture.checkAnswer('createOrder', 201, json, { closed: { b: 1 } })).toThrow('/closed')
  })
})

describe('an answer of the service', () => {
  const refusal = { error_code: 'resource_not_found', error_message: 'no such path', status_code: 404 }

  it('is found by a concrete path, in both documents', () => {
    const asked = { method: 'GET', path: '/api/v2/account/63' }
    checkAnswer(asked, 404, json, refusal)
    expect(() => checkAnswer(asked, 200, json, {})).toThrow(
      'GET /api/v2/account/63 getAccount: the body of 200',
    )
    expect(() => checkAnswer({ method: 'GET', path: '/sandbox/ledger' }, 200, json, {})).toThrow('getLedger')
  })

  it('outside any operation is an Error', () => {
    checkAnswer({ method: 'GET', path: '/api/v2/nowhere' }, 404, json, refusal)
    const other = { ...refusal, error_code: 'method_not_allowed', status_code: 405 }
    checkAnswer({ method: 'PATCH', path: '/api/v2/payments' }, 405, json, other)
    expect(() => checkAnswer({ method: 'GET', path: '/nowhere' }, 404, json, { ...refusal, why: 1 })).toThrow(
      'GET /nowhere: the body of 404 is no Error:\n  the body has a field that is not described: why',
    )
    expect(() => checkAnswer({ method: 'GET', path: '/nowhere' }, 200, json, {})).toThrow(
      'GET /nowhere: answered 200, but no operation is described there',
    )
  })

  it.each(['/api/v2/account/63/more', '/api/v2/account/', '/x/api/v2/account/63'])(
    'is not found by a longer or a shorter path: %s',
    (path) => {
      expect(() => checkAnswer({ method: 'GET', path }, 200, json, {})).toThrow('no operation')
    },
  )

  it('cannot be checked for an operation that does not exist', () => {
    expect(() => checkAnswer('getNothing', 200, json, {})).toThrow(
      'the description has no operation getNothing',
    )
  })

  it('is checked as a whole response, which stays readable', async () => {
    const asked = { method: 'GET', path: '/nowhere' }
    const response = Response.json(refusal, { status: 404 })
    await checkResponse(asked, response)
    expect(await response.json()).toEqual(refusal)
    const broken = new Response('{', { status: 404, headers: json })
    await expect(checkResponse(asked, broken)).rejects.toThrow('GET /nowhere: the body is no JSON: {')
  })

  it('to HEAD has the status and headers of GET and no body', async () => {
    const empty = (status: number) => new Response(null, { status, headers: json })
    await checkResponse({ method: 'HEAD', path: '/api/v2/account/63' }, empty(200))
    await checkResponse({ method: 'HEAD', path: '/nowhere' }, empty(404))
    await expect(checkResponse({ method: 'HEAD', path: '/api/v2/account/63' }, empty(202))).rejects.toThrow(
      'status 202 is not declared',
    )
  })
})

describe('a callback body', () => {
  it('passes in each of its shapes, for its operation or for any', () => {
    expect(() => {
      fixture.checkCallback({ paid: true }, 'createOrder')
      fixture.checkCallback([{ paid: true }])
    }).not.toThrow()
  })

  it('fails in none', () => {
    expect(() => fixture.checkCallback({ paid: true, at: 1 }, 'createOrder')).toThrow(
      'createOrder: the callback body does not match the description:\n  the body has a field that is not described: at',
    )
    expect(() => checkCallback({})).toThrow('any operation: the callback body does not match')
  })

  it('of an operation without callbacks is an error', () => {
    expect(() => checkCallback({}, 'getAccount')).toThrow('getAccount has no callbacks')
  })
})
