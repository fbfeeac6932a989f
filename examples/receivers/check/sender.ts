/** Sends a receiver what the sandbox never would: rightly signed and otherwise wrong, or wrong in its headers. */
import { createHmac, randomUUID } from 'node:crypto'
import http, { type OutgoingHttpHeaders } from 'node:http'

/** The status of an answer; null when there was none. */
export type Answer = number | null

/** What is signed, and by whom; the rest of a letter is as the service sends it. */
export interface Signing {
  readonly id?: string
  /** Seconds of the wall clock, or what stands in their place. */
  readonly timestamp?: string
  readonly secret?: string
}

export interface Letter {
  readonly body: Buffer
  readonly headers: OutgoingHttpHeaders
}

export interface Sender {
  /** A result of the order, as the service tells it, with these fields otherwise; undefined leaves one out. */
  result(fields?: Readonly<Record<string, unknown>>): string
  /** Signs a body. */
  signed(body: string | Buffer, signing?: Signing): Letter
  /** Posts it, with these headers otherwise. @param chunked without its length */
  post(letter: Letter, headers?: OutgoingHttpHeaders, chunked?: boolean): Promise<Answer>
}

/** @param onText is told what stands in each answer */
export function createSender(
  address: string,
  secret: string,
  reference: string,
  onText: (text: string) => void,
): Sender {
  return {
    result: (fields = {}) =>
      JSON.stringify({
        success: true,
        status: 'success',
        message: 'The service request is processed successfully.',
        reference: 'UFD004453187.iI',
        external_reference: reference,
        amount: 1000,
        currency: 'KES',
        transaction_id: '',
        transaction_date: '2026-06-30T00:44:53Z',
        transaction_type: 'inbound_payment',
        provider_reference: 'UFU51A2XO2',
        provider: 'm-pesa',
        callback_urls: null,
        ...fields,
      }),
    signed(text, signing = {}) {
      const body = Buffer.from(text)
      const { id = `msg_${randomUUID()}`, timestamp = String(Math.floor(Date.now() / 1000)) } = signing
      const key = Buffer.from((signing.secret ?? secret).replace('whsec_', ''), 'base64')
      const own = createHmac('sha256', key).update(`${id}.${timestamp}.`, 'latin1').update(body)
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${own.digest('base64')}`,
      }
      return { body, headers }
    },
    async post({ body, headers }, others = {}, chunked = false) {
      const length = chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length }
      const answer = await ask(address, 'POST', { ...headers, ...length, ...others }, body)
      onText(answer.text)
      return answer.status
    },
  }
}

/** One request on a connection of its own. A header that is undefined is left out. */
export const ask = (
  url: string,
  method: string,
  given: OutgoingHttpHeaders = {},
  body: string | Buffer = '',
): Promise<{ readonly status: Answer; readonly text: string }> =>
  new Promise((resolve) => {
    const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    let answered = false
    const sent = http.request(url, { method, headers, agent: false }, (answer) => {
      answered = true
      const { statusCode = null } = answer
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('close', () => resolve({ status: statusCode, text: Buffer.concat(pieces).toString() }))
    })
    sent.on('error', () => answered || resolve({ status: null, text: '' }))
    sent.end(body)
  })
