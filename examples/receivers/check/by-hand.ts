/** What no scenario sends: letters of whoever knows the secret, or tries to get by without it. */
import { gzipSync } from 'node:zlib'
import { type Order, orders, type Row, type Rule, rules } from './row.ts'
import type { Answer, Letter, Sender, Signing } from './sender.ts'

type Send = (sender: Sender) => Promise<readonly Answer[]>

const row = (title: string, send: Send, answers: Rule, ...order: readonly Order[]): Row => ({
  title,
  play: { send },
  answers,
  order,
})
const one =
  (letter: (sender: Sender) => Letter): Send =>
  async (sender) => [await sender.post(letter(sender))]

/** A good result, otherwise signed. */
const signedAs = (signing: Signing) => one(({ result, signed }) => signed(result(), signing))
/** A good result, rightly signed, with headers that are otherwise. */
const withHeaders =
  (others: (headers: Letter['headers']) => Letter['headers'], chunked = false): Send =>
  async ({ result, signed, post }) => {
    const letter = signed(result())
    return [await post(letter, others(letter.headers), chunked)]
  }
/** Another body, rightly signed. */
const body = (text: string | Buffer) => one(({ signed }) => signed(text))
const results =
  (...told: readonly object[]): Send =>
  async ({ result, signed, post }) => {
    const answers: Answer[] = []
    for (const fields of told) answers.push(await post(signed(result({ ...fields }))))
    return answers
  }
const signature = (change: (good: string) => string) =>
  withHeaders((headers) => ({ 'webhook-signature': change(String(headers['webhook-signature'])) }))

const now = () => Math.floor(Date.now() / 1000)
const { waiting, paid, review } = orders

export const rowsByHand: readonly Row[] = [
  row('unmodified', results({}), rules.taken, paid),
  row(
    'signature: `v2,…` before the valid one',
    signature((good) => `v2,abc ${good}`),
    rules.taken,
    paid,
  ),
  row(
    'signature: 400 wrong ones before the valid one',
    signature((good) => `${'v1,AAAA '.repeat(400)}${good}`),
    rules.taken,
    paid,
  ),
  row(
    'signature: hex',
    signature((good) => `v1,${Buffer.from(good.slice(3), 'base64').toString('hex')}`),
    rules.refused,
    waiting,
  ),
  row(
    'signature: without `v1,`',
    signature((good) => good.slice(3)),
    rules.refused,
    waiting,
  ),
  row(
    'signature: one extra character',
    signature((good) => `${good}A`),
    rules.refused,
    waiting,
  ),
  row(
    'signature: not ASCII',
    signature((good) => `v1,é${good.slice(4)}`),
    rules.refused,
    waiting,
  ),
  row(
    'signature: empty',
    signature(() => ''),
    rules.refused,
    waiting,
  ),
  row(
    'id: missing',
    withHeaders(() => ({ 'webhook-id': undefined })),
    rules.refused,
    waiting,
  ),
  row(
    'id: changed',
    withHeaders(() => ({ 'webhook-id': 'msg_another' })),
    rules.refused,
    waiting,
  ),
  row(
    'timestamp: changed',
    withHeaders(() => ({ 'webhook-timestamp': String(now() - 5) })),
    rules.refused,
    waiting,
  ),
  row(
    'timestamp: milliseconds',
    one(({ result, signed }) => signed(result(), { timestamp: String(Date.now()) })),
    rules.refused,
    waiting,
  ),
  row(
    'timestamp: ISO 8601',
    one(({ result, signed }) => signed(result(), { timestamp: new Date().toISOString() })),
    rules.refused,
    waiting,
  ),
  row('timestamp: `²`', signedAs({ timestamp: '²' }), rules.refused, waiting),
  row('timestamp: `-1`', signedAs({ timestamp: '-1' }), rules.refused, waiting),
  row('timestamp: a hundred digits', signedAs({ timestamp: '9'.repeat(100) }), rules.refused, waiting),
  row('body: empty', body(''), rules.refused, waiting),
  row('body: not JSON', body('status=success'), rules.refused, waiting),
  row(
    'body: truncated',
    one(({ result, signed }) => signed(result().slice(0, 60))),
    rules.refused,
    waiting,
  ),
  row('body: `null`', body('null'), rules.refused, waiting),
  row('body: `[]`', body('[]'), rules.refused, waiting),
  row('body: 30,000 nested lists', body('['.repeat(30_000) + ']'.repeat(30_000)), rules.refused, waiting),
  row('body: invalid UTF-8', body(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])), rules.refused, waiting),
  row('body: NUL in the reference', results({ external_reference: 'a\0b' }), rules.either, waiting),
  row('body: without a reference', results({ external_reference: undefined }), rules.refused, waiting),
  row('body: without an amount', results({ amount: undefined }), rules.refused, waiting),
  row(
    'body: `"amount": 1e400`',
    one(({ result, signed }) => signed(result().replace('1000', '1e400'))),
    rules.either,
    review,
    waiting,
  ),
  row('body: `"amount": true`', results({ amount: true }), rules.refused, waiting),
  row('success, then the same with another id', results({}, {}), rules.taken, paid),
  row('success, then failure', results({}, { status: 'failed', success: false }), rules.taken, paid),
  row('partial amount, then the full amount', results({ amount: 1 }, {}), rules.taken, paid),
  row(
    'gzip',
    async ({ result, signed, post }) => {
      const { headers, body } = signed(gzipSync(result()))
      return [await post({ headers, body }, { 'content-encoding': 'gzip' })]
    },
    rules.refused,
    waiting,
  ),
  row(
    'chunked',
    withHeaders(() => ({}), true),
    rules.either,
    paid,
    waiting,
  ),
  row(
    'chunked, 70,000 bytes',
    async ({ result, signed, post }) => {
      return [await post(signed(result() + ' '.repeat(70_000)), {}, true)]
    },
    rules.refused,
    waiting,
  ),
]
