import { describe, expect, it } from 'vitest'
import { servedCountries } from '../../src/service/domain/countries/countries.ts'
import { ScenarioError } from '../../src/scenarios/file.ts'
import { readScenario, readScenarios } from '../../src/scenarios/read.ts'

/** What is said of a file, `line:column message` each. */
async function issuesOf(text: string, name = 'mine'): Promise<string[]> {
  try {
    await readScenario(name, 'mine.yaml', text)
  } catch (error) {
    if (error instanceof ScenarioError) return error.message.split('\n')
    throw error
  }
  return []
}

/** Exactly a text, or something like it. */
const saying = (said: string | RegExp): unknown =>
  typeof said === 'string' ? said : expect.stringMatching(said)

const right = `title: The payer cancels the prompt
when:
  operation: [createCollection, createGlobalPayment]
  direction: payin
  party: { ending: '002' }
  body.phone_number: { startsWith: '254' }
then:
  delay: 1s
  settle: { after: 3s, status: failed, reason: cancelled }
expect:
  request: createCollection
  response: 201
`

const kyc = (review: string) => `title: Reviewed\nthen:\n  review: ${review}\n`

describe('a scenario file', () => {
  it('is accepted if valid, as YAML and as JSON', async () => {
    expect(await issuesOf(right)).toEqual([])
    expect(await issuesOf('{"title": "Slow", "then": {"delay": 1500}}')).toEqual([])
  })

  it.each([
    ['a word that does not exist', 'then:', 'than:', '7:1 "than" is not a known key (did you mean then?)'],
    [
      'a test that does not exist',
      'startsWith',
      'startWith',
      '6:24 "startWith" is not a known key (did you mean startsWith?)',
    ],
    [
      'an operation that does not exist',
      'createCollection,',
      'createColection,',
      '3:15 "createColection" is not an operation (did you mean createCollection?)',
    ],
    [
      'a reason that does not exist',
      'reason: cancelled',
      'reason: canceled',
      '9:48 "canceled" is not a reason (did you mean cancelled?)',
    ],
    [
      'a status that does not exist',
      'status: failed',
      'status: fail',
      '9:32 "fail" is not a final status (did you mean failed?)',
    ],
    [
      'a fact that does not exist',
      'direction: payin',
      'direktion: payin',
      /^4:3 "direktion" is not a fact \(did you mean direction\?\)/,
    ],
    [
      'a field that the operation does not have',
      'body.phone_number',
      'body.phone_numbr',
      '6:3 "phone_numbr" is not a field of the body of createCollection, createGlobalPayment (did you mean phone_number?)',
    ],
    ['a duration that is none', 'after: 3s', 'after: 3 sec', /^9:20 "3 sec" is not a duration such as 500ms/],
    [
      'a wrong type',
      'title: The payer cancels the prompt',
      'title: 12',
      '1:8 title must be text in quotes, got 12',
    ],
    ['a missing title', 'title: The payer cancels the prompt', 'summary: hm', '1:1 title is required'],
    ['an ending without quotes', "'002'", '2', '5:20 ending must be text in quotes, got 2'],
    [
      'an ending of another length',
      "'002'",
      "'02'",
      '5:20 ending must be three digits in quotes, such as "002", got "02"',
    ],
    ['a failure without a reason', ', reason: cancelled', '', '9:32 status failed needs a reason'],
    ['a reason of a success', 'status: failed', 'status: success', '9:41 a reason needs status: failed'],
    [
      'two ends of one transaction',
      'after: 3s',
      'after: 3s, afterStatusQueries: 2',
      '9:24 after and afterStatusQueries exclude each other; keep one',
    ],
    [
      'settle for an operation that moves no money',
      '[createCollection, createGlobalPayment]',
      'submitKyc',
      '9:3 settle is for createCollection, createWithdrawal, createGlobalPayment, not for submitKyc',
    ],
    [
      'a review after its end',
      /^(?:.|\n)*$/,
      kyc('[{ status: approved, after: 1s }, { status: rejected, after: 2s, reasons: [blurred] }]'),
      '3:55 approved ends the review, so rejected cannot follow',
    ],
    [
      'a state of a review before the one that it follows',
      /^(?:.|\n)*$/,
      kyc('[{ status: in_review, after: 5s }, { status: approved, after: 1s }]'),
      '3:73 must not be before in_review, after 5s',
    ],
    [
      'a state of a review twice',
      /^(?:.|\n)*$/,
      kyc('[{ status: in_review, after: 1s }, { status: in_review, after: 2s }]'),
      '3:56 in_review cannot follow in_review',
    ],
    [
      'weights whose sum overflows',
      /^(?:.|\n)*$/,
      'title: Chance\nchoices:\n  - { weight: 1e308, then: { delay: 1s } }\n  - { weight: 1, then: { delay: 2s } }\n',
      '3:15 weight must be more than 0 and at most 1000000, got 1e+308',
    ],
    ['a tab for indentation', '  delay: 1s', '\tdelay: 1s', /^8:1 Tabs are not allowed as indentation/],
    ['a word twice', '  delay: 1s', '  delay: 1s\n  delay: 2s', /^9:3 Map keys must be unique/],
    [
      'an answer to expect that is none',
      'response: 201',
      'response: yes please',
      '12:13 response must be a status, cut, or a map with status and body, got "yes please"',
    ],
    [
      'a direction that does not exist',
      'direction: payin',
      'direction: payinn',
      '4:14 "payinn" is not a direction (did you mean payin?)',
    ],
  ])('is rejected for %s', async (_, from, to, said) => {
    expect(right).toMatch(from)
    const issues = (await issuesOf(right.replace(from, to))).map((fault) => fault.replace(/^mine\.yaml:/, ''))
    expect(issues).toContainEqual(saying(said))
  })

  it.each([
    [
      'a status that the operation does not declare',
      'respond: { status: 418 }',
      /^4:22 getAccount does not declare 418; it declares 200, 400/,
    ],
    [
      'a body that the operation does not declare',
      'respond: { status: 200, body: { acount: 1 } }',
      '4:33 getAccount 200: account is required',
    ],
    [
      'a body with a strange value',
      'respond: { status: 400, body: { error_code: invalid, error_message: No., status_code: 400 } }',
      /^4:47 getAccount 400: error_code must be one of invalid_argument, unauthenticated, .*, got "invalid"$/,
    ],
    [
      'a body with a value of another type, deep inside',
      'respond: { status: 200, body: { payment_channels: [{ id: one }], count: 1 } }',
      '4:60 listPaymentChannels 200: payment_channels[0].id must be a whole number, got "one"',
      'listPaymentChannels',
    ],
    [
      'a body that is no object',
      'respond: { status: 200, body: [] }',
      '4:33 getAccount 200: the body must be an object, got []',
    ],
    ['a success without a body', 'respond: { status: 200 }', '4:22 status 200 needs a body'],
    ['an answer that says nothing', 'respond: {}', '4:12 respond needs a status, a body or an error_code'],
    [
      'an error code that does not exist',
      'respond: { error_code: unavailble }',
      '4:26 "unavailble" is not an error code (did you mean unavailable?)',
    ],
    [
      'a fault that does not exist',
      'fault: conection-reset',
      '4:10 "conection-reset" is not a fault (did you mean connection-reset?)',
    ],
  ])('is rejected for %s', async (_, then, said, operation = 'getAccount') => {
    const [fault] = await issuesOf(`title: Account\nwhen: { operation: ${operation} }\nthen:\n  ${then}\n`)
    expect(fault!.replace('mine.yaml:', '')).toEqual(saying(said))
  })

  it.each([
    ['no outcome at all', 'title: T\n', '1:1 then, steps or choices is required: what happens'],
    [
      'two kinds of outcome',
      'title: T\nthen: { delay: 1s }\nsteps:\n  - then: {}\nafterLast: none\n',
      '3:1 then and steps exclude each other; keep one',
    ],
    [
      'steps that do not say what comes after',
      'title: T\nsteps:\n  - then: { delay: 1s }\n',
      '2:1 steps needs afterLast: repeat, stay or none',
    ],
    [
      'an afterLast that does not exist',
      'title: T\nsteps:\n  - then: {}\nafterLast: stays\n',
      '4:12 "stays" is not one of them (did you mean stay?)',
    ],
    [
      'a regular expression that is none',
      'title: T\nwhen: { party: { matches: "(" } }\nthen: { delay: 1s }\n',
      '2:27 "(" is not a regular expression: missing closing ): (',
    ],
    [
      'a predicate that asks nothing',
      'title: T\nwhen: { party: {} }\nthen: { delay: 1s }\n',
      '2:16 is empty; give a value, or a test such as startsWith',
    ],
    ['a list where a map is expected', '- title: T\n', /^1:1 must be a map with title/],
    ['nothing', '', /^1:1 must be a map with title/],
    [
      'a dropped callback that is sent twice',
      'title: T\nthen:\n  callback: { drop: true, times: 2 }\n',
      '3:15 drop and times exclude each other',
    ],
    [
      'a direction that the operation never has',
      'title: T\nwhen: { operation: createCollection, direction: payout }\nthen: { delay: 1s }\n',
      '2:49 the direction of createCollection is never payout',
    ],
    [
      'a rail that does not exist',
      'title: T\nwhen: { rail: mobile }\nthen: { delay: 1s }\n',
      '2:15 "mobile" is not a rail (known are momo, bank, card)',
    ],
    [
      'the name of a country',
      'title: T\nwhen: { country: [KE, Tanzania] }\nthen: { delay: 1s }\n',
      `2:23 "Tanzania" is not a supported country (known are ${servedCountries.join(', ')})`,
    ],
    [
      'a currency of no country served',
      'title: T\nwhen: { currency: KSH }\nthen: { delay: 1s }\n',
      /^2:19 "KSH" is not a supported currency \(known are KES, TZS/,
    ],
    [
      'a fact that the operation does not have',
      'title: T\nwhen: { operation: getAccount, party: "254712345678" }\nthen: { delay: 1s }\n',
      /^2:32 getAccount has no party; use it with createCollection, /,
    ],
    [
      'a rail that the operation never has',
      'title: T\nwhen: { operation: [createCollection, createWithdrawal], rail: [card] }\nthen: { delay: 1s }\n',
      '2:64 the rail of createCollection, createWithdrawal is never card',
    ],
    [
      'a country that the operation never has',
      'title: T\nwhen: { operation: createWithdrawal, country: TZ }\nthen: { delay: 1s }\n',
      '2:47 the country of createWithdrawal is never TZ',
    ],
    [
      'an amount that is no number',
      'title: T\nwhen: { amount: [100, x] }\nthen: { delay: 1s }\n',
      '2:23 amount must be a number more than 0, got "x"',
    ],
    [
      'a negative amount',
      'title: T\nwhen: { amount: -5 }\nthen: { delay: 1s }\n',
      '2:17 amount must be a number more than 0, got "-5"',
    ],
    [
      'limits that exclude each other',
      'title: T\nwhen: { amount: { gt: 5, lte: 5 } }\nthen: { delay: 1s }\n',
      '2:17 no number is more than 5 and at most 5',
    ],
    [
      'a Team that is no number',
      'title: T\nwhen: { account_id: abc }\nthen: { delay: 1s }\n',
      '2:21 account_id must be a whole number from 1, got "abc"',
    ],
    [
      'a number field that is compared with a word',
      'title: T\nwhen: { body.amount: hundred }\nthen: { delay: 1s }\n',
      '2:22 body.amount must be a number, got "hundred"',
    ],
    [
      'a true or false field that is compared with a word',
      'title: T\nwhen: { body.is_offline: maybe }\nthen: { delay: 1s }\n',
      '2:26 body.is_offline must be true or false, got "maybe"',
    ],
    [
      'a query of operations without one',
      'title: T\nwhen: { operation: createCollection, query.page: 1 }\nthen: { delay: 1s }\n',
      '2:38 query.page never applies: createCollection has no query',
    ],
    [
      'a phone with a plus sign',
      'title: T\nwhen: { party: { startsWith: "+2547" } }\nthen: { delay: 1s }\n',
      '2:30 "+2547" has a plus sign, which party never contains; write 2547',
    ],
    [
      'a phone as it is dialled',
      'title: T\nwhen: { party: "0712345678" }\nthen: { delay: 1s }\n',
      /^2:16 "0712345678" is a local phone number; party starts with the dial code/,
    ],
    [
      'a reason of payouts for a pay-in',
      'title: T\nwhen: { operation: createCollection }\nthen:\n  settle: { status: failed, reason: recipient_limit }\n',
      /^4:37 "recipient_limit" is not a reason of a payin \(known are insufficient_funds, /,
    ],
    [
      'a reversal of a failure',
      'title: T\nthen:\n  settle: { status: failed, reason: expired }\n  later: [{ after: 1m, status: reversed }]\n',
      '4:32 a failure cannot be reversed; its later status is success',
    ],
    [
      'a late success of a success',
      'title: T\nthen:\n  later: [{ after: 1m, status: success }]\n',
      '3:32 a success cannot succeed again; its later status is reversed',
    ],
    [
      'something later than an end that never comes',
      'title: T\nthen:\n  settle: { never: true }\n  later: [{ after: 1m, status: reversed }]\n',
      /^4:3 later and settle never exclude each other/,
    ],
    [
      'reasons of an approval',
      'title: T\nthen:\n  review: [{ status: approved, after: 1s, reasons: [Fine.] }]\n',
      '3:43 reasons are only for status: rejected',
    ],
    [
      'a review without a state',
      'title: T\nthen:\n  review: []\n',
      '3:11 review must have at least one state, or be never, got []',
    ],
    [
      'a delay that no client waits for',
      'title: T\nthen: { delay: 30d }\n',
      '2:16 "30d" is longer than 1h, the maximum',
    ],
    [
      'an expected answer that the operation does not declare',
      'title: T\nthen: { delay: 1s }\nexpect: { request: getAccount, response: 201 }\n',
      /^3:42 getAccount does not declare 201; it declares 200, 400/,
    ],
    [
      'an expected request with a field that the operation does not have',
      'title: T\nthen: { delay: 1s }\nexpect:\n  request: { operation: createCollection, body: { ammount: 5 } }\n',
      '4:51 "ammount" is not a field of the body of createCollection (did you mean amount?)',
    ],
    [
      'a review with a strange state',
      'title: T\nthen:\n  review: [{ status: aproved, after: 1s }]\n',
      '3:22 "aproved" is not a state of a review (did you mean approved?)',
    ],
  ])('is rejected for %s', async (_, text, said) => {
    const [fault] = await issuesOf(text)
    expect(fault!.replace('mine.yaml:', '')).toEqual(saying(said))
  })

  it('may match an account with a leading zero on rails that have such', async () => {
    expect(
      await issuesOf('title: T\nwhen: { rail: bank, party: "0112345678" }\nthen: { delay: 1s }\n'),
    ).toEqual([])
  })

  it('is rejected for a name with capitals', async () => {
    expect(await issuesOf(right, 'Mine')).toEqual([
      'mine.yaml:1:1 the name "Mine" must be lower-case words joined by hyphens',
    ])
  })

  it('reports every issue, not only the first', async () => {
    const text = right.replace('3s', 'soon').replace('cancelled', 'canceled').replace('ending', 'endng')
    expect(await issuesOf(text)).toHaveLength(3)
  })
})

describe('text with several scenarios', () => {
  it('reports the line of each issue', async () => {
    const text = 'slow:\n  title: Slow\n  then: { delay: 1s }\nbad:\n  title: Bad\n  then: { dely: 1s }\n'
    await expect(readScenarios('SANDBOX_SCENARIOS', text)).rejects.toThrow(
      'SANDBOX_SCENARIOS:6:11 "dely" is not a known key (did you mean delay?)',
    )
  })

  it('is one scenario if it has a title', async () => {
    expect((await readScenarios('SANDBOX_SCENARIOS', right)).map(({ name }) => name)).toEqual(['inline'])
  })
})
