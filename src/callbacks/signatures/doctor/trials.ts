/** The known mistakes of an HMAC signature, each as the way it would have been made. */
import { bodyBytes, dotted } from '../profile.ts'
import { secretBytes } from '../secrets.ts'
import { otherBodies } from './bodies.ts'
import type { Claim } from './claim.ts'
import { mistake, type CheckInput, type Mistake } from './diagnosis.ts'

export interface Trial {
  /** Null: the right way. */
  readonly mistake: Mistake | null
  readonly key: Buffer | string
  readonly algorithm: Claim['algorithm']
  readonly signed: () => Buffer
}

/** One mistake at a time, the commonest first; the right way is not among them. */
export function* trials(claim: Claim, right: Trial, seconds: string, input: CheckInput): Generator<Trial> {
  const { body } = input
  yield* keyTrials(claim, right, input.secret)
  if (claim.timestamp !== null) {
    const sent = claim.timestamp
    const milliseconds = mistake(
      'milliseconds',
      'milliseconds were signed: sign the whole seconds of the header',
    )
    const differs = mistake(
      'timestamp-format',
      `"${sent}" was signed: send and sign the whole seconds ${seconds}`,
    )
    if (claim.signsTimeAsText) {
      yield {
        ...right,
        mistake: /^\d+$/.test(sent) ? milliseconds : differs,
        signed: () => claim.content(sent, body),
      }
    }
    yield { ...right, mistake: milliseconds, signed: () => claim.content(`${seconds}000`, body) }
  }
  for (const [words, signed] of contents(claim, seconds, body)) {
    yield {
      ...right,
      mistake: mistake('wrong-content', `what was signed is ${words}: sign what "signed" shows`),
      signed,
    }
  }
  for (const algorithm of ['sha1', 'sha256', 'sha512'] as const) {
    if (algorithm === claim.algorithm) continue
    const wrong = mistake(
      'wrong-algorithm',
      `the signature was made with ${algorithm}: ${claim.algorithm} is expected`,
    )
    yield { ...right, mistake: wrong, algorithm }
  }
  for (const other of otherBodies(bodyBytes(body).toString('utf8'), input.sentBodies)) {
    yield { ...right, mistake: other.mistake, signed: () => claim.content(seconds, other.body) }
  }
}

function* keyTrials(claim: Claim, right: Trial, secret: string): Generator<Trial> {
  const bare = secret.trim().replace(/^whsec_/, '')
  const whole = mistake(
    'wrong-key-form',
    'the key was the secret as text: it is the bytes behind whsec_, base64-decoded',
  )
  const bytes = mistake(
    'wrong-key-form',
    'the key was base64-decoded: it is the whole secret as text, with whsec_',
  )
  const cut = mistake(
    'wrong-key-form',
    `the key was the secret as text without whsec_: ${claim.key === 'utf8' ? 'keep the prefix' : 'base64-decode what is behind it'}`,
  )
  const space = mistake(
    'secret-whitespace',
    'the secret was used with white space around it: trim it when it is read',
  )
  if (claim.key === 'base64') yield { ...right, mistake: whole, key: secret.trim() }
  else yield { ...right, mistake: bytes, key: secretBytes(secret.trim()) }
  yield { ...right, mistake: cut, key: bare }
  if (claim.key === 'base64') return
  for (const key of [secret.trim(), `${secret}\n`, `${secret}\r\n`, ` ${secret}`, `${secret} `]) {
    if (key !== secret) yield { ...right, mistake: space, key }
  }
}

function contents(claim: Claim, seconds: string, body: Buffer | string): [string, () => Buffer][] {
  const id = claim.id ?? ''
  const joined = (text: string) => () => Buffer.concat([Buffer.from(text), bodyBytes(body)])
  return [
    ['the body alone', () => bodyBytes(body)],
    ['{timestamp}.{body}', () => dotted([seconds], body)],
    ['{id}.{body}', () => dotted([id], body)],
    ['{timestamp}.{id}.{body}', () => dotted([seconds, id], body)],
    ['{id}{timestamp}{body} without dots', joined(`${id}${seconds}`)],
    ['{timestamp}{body} without a dot', joined(seconds)],
  ]
}
