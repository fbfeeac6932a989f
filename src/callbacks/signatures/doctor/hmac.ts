/** Checks an HMAC signature: first the correct form, then each known mistake on its own. */
import { createHmac } from 'node:crypto'
import { bodyBytes, dotted } from '../profile.ts'
import { secretBytes } from '../secrets.ts'
import { otherBodies } from './bodies.ts'
import {
  type CheckInput,
  diagnose,
  type Diagnosis,
  missingHeaders,
  mistake,
  type Mistake,
} from './diagnosis.ts'

/** @param claim - Null if the request has no such signature. */
export function checkHmac(claim: Claim | null, input: CheckInput): Diagnosis | null {
  if (claim === null) return null
  const { header, received } = claim
  const found = { received: received === null ? null : { header, value: received } }
  const lacking = claim.missing.filter((name) => name !== header)
  if (lacking.length > 0) return diagnose(claim.profile, missingHeaders(claim.missing), found)

  const time =
    claim.timestamp === null || claim.timeChecks === 'none'
      ? { seconds: null, mistakes: [] }
      : readTimestamp(claim.timestamp, input.nowSeconds, claim.timeChecks)
  const seconds = String(time.seconds ?? claim.timestamp ?? '')
  const signed = claim.content(seconds, input.body)
  const right: Trial = {
    mistake: null,
    key: keyOf(claim.key, input.secret),
    algorithm: claim.algorithm,
    signed: () => signed,
  }
  const mac = createHmac(right.algorithm, right.key).update(signed).digest(claim.encoding)
  const expected = { header, value: claim.value(mac, seconds) }
  if (received === null)
    return diagnose(claim.profile, missingHeaders([header]), { ...found, expected, signed })

  const exact = claim.signatures.some(({ mark, text }) => mark === claim.mark && text === mac)
  const mistakes = [
    ...(exact ? [] : explain(claim, right, trials(claim, right, seconds, input), input)),
    ...time.mistakes,
    ...secretMistakes(claim, input.secret),
  ]
  return diagnose(claim.profile, distinct(mistakes), { ...found, expected, signed })
}

/** Returns the mistakes of the first trial that results in one of the signatures. */
function explain(claim: Claim, right: Trial, others: Iterable<Trial>, input: CheckInput): Mistake[] {
  const read = claim.signatures.map((each) => ({ ...each, decoded: decodings(each.text) }))
  if (read.every(({ decoded }) => decoded.length === 0)) {
    return [
      mistake(
        'malformed-signature',
        `${claim.header} holds no signature: ${JSON.stringify(claim.mark)} and the ${claim.encoding} of ${claim.algorithm} are expected`,
      ),
    ]
  }
  for (const trial of [right, ...others]) {
    const mac = createHmac(trial.algorithm, trial.key).update(trial.signed()).digest()
    for (const { mark, text, decoded } of read) {
      const fits = decoded.find(({ bytes }) => bytes.equals(mac))
      if (fits === undefined) continue
      const mistakes = trial.mistake === null ? [] : [trial.mistake]
      if (text !== mac.toString(claim.encoding)) {
        mistakes.push(
          mistake('wrong-encoding', `the signature is ${fits.encoding}: ${claim.encoding} is expected`),
        )
      }
      if (mark !== claim.mark) {
        mistakes.push(mistake('wrong-mark', `the signature follows "${mark}": "${claim.mark}" is expected`))
      }
      return mistakes
    }
  }
  return [noneFits(input)]
}

function noneFits(input: CheckInput): Mistake {
  const asSent = input.sentBodies?.includes(bodyBytes(input.body).toString('utf8'))
  return mistake(
    'wrong-secret',
    asSent
      ? 'the body is as it was sent, so the secret is not the one that signed it: compare it with the signing secret of this world'
      : 'no known mistake explains the signature: the secret is not the one that signed it, or the body was changed',
  )
}

function keyOf(form: Claim['key'], secret: string): Buffer | string {
  return form === 'base64' ? secretBytes(secret) : secret
}

function secretMistakes(claim: Claim, secret: string): Mistake[] {
  if (claim.key === 'utf8') return []
  if (secret !== secret.trim()) {
    return [mistake('secret-whitespace', 'the secret has white space around it: trim it when it is read')]
  }
  if (/[-_]/.test(secret.replace(/^whsec_/, ''))) {
    return [
      mistake(
        'secret-base64url',
        'the secret is base64url: write + for - and / for _, verifiers refuse the others',
      ),
    ]
  }
  return []
}

function distinct(mistakes: readonly Mistake[]): Mistake[] {
  return mistakes.filter((each, index) => mistakes.findIndex(({ code }) => code === each.code) === index)
}

/** A decoded signature. */
interface Reading {
  readonly bytes: Buffer
  /** The name of the encoding. */
  readonly encoding: string
}

/** Lengths of SHA-1, SHA-256 and SHA-512, bytes. */
const LENGTHS = [20, 32, 64]

/** Every reading of a text that gives the length of a digest; none for a malformed one. */
function decodings(text: string): Reading[] {
  const readings: Reading[] = []
  if (/^([0-9a-f]{2})+$/i.test(text)) {
    readings.push({
      bytes: Buffer.from(text, 'hex'),
      encoding: /[A-F]/.test(text) ? 'upper-case hex' : 'hex',
    })
  }
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) {
    const bytes = Buffer.from(text, 'base64')
    readings.push({ bytes, encoding: base64Name(text) })
    const inner = bytes.toString('latin1')
    if (/^([0-9a-f]{2})+$/i.test(inner)) {
      readings.push({ bytes: Buffer.from(inner, 'hex'), encoding: 'base64 of the hex text' })
    }
  }
  return readings.filter(({ bytes }) => LENGTHS.includes(bytes.length))
}

function base64Name(text: string): string {
  if (/[-_]/.test(text)) return 'base64url'
  return text.length % 4 === 0 ? 'base64' : 'base64 or base64url without padding'
}

export interface Claim {
  readonly profile: string
  /** The header of the signature, as the profile spells it. */
  readonly header: string
  readonly received: string | null
  /** The prefix of each signature in the profile. */
  readonly mark: string
  /** The signatures and their prefixes. */
  readonly signatures: readonly { readonly mark: string; readonly text: string }[]
  readonly algorithm: 'sha1' | 'sha256' | 'sha512'
  readonly encoding: 'hex' | 'base64' | 'base64url'
  readonly key: 'utf8' | 'base64'
  /** Null if the profile has no timestamp. */
  readonly timestamp: string | null
  readonly id: string | null
  readonly timeChecks: 'both' | 'past' | 'none'
  /** Whether `content` accepts timestamps other than whole seconds. */
  readonly signsTimeAsText: boolean
  readonly missing: readonly string[]
  /** The bytes to sign, from a timestamp and a body. */
  readonly content: (timestamp: string, body: Buffer | string) => Buffer
  /** The header's value for a signature. */
  readonly value: (signature: string, timestamp: string) => string
}

/** Returns the claim of a profile that signs only the body, in hex. */
export function bodyOnly(
  profile: string,
  header: string,
  received: string,
  algorithm: Claim['algorithm'],
): Claim {
  return {
    profile,
    header,
    received,
    mark: '',
    signatures: [{ mark: '', text: received }],
    algorithm,
    encoding: 'hex',
    key: 'utf8',
    timestamp: null,
    id: null,
    timeChecks: 'none',
    signsTimeAsText: true,
    missing: [],
    content: (_, body) => bodyBytes(body),
    value: (text) => text,
  }
}

/** Splits a signature from its prefix. */
export function splitMark(mark: RegExp): (text: string) => { mark: string; text: string } {
  return (text) => {
    const found = mark.exec(text)?.[0] ?? ''
    return { mark: found.replace('v1:', 'v1,'), text: text.slice(found.length) }
  }
}

/** Returns the names of missing or empty values. */
export function missingOf(values: Readonly<Record<string, string | null>>): string[] {
  return Object.keys(values).filter((name) => !values[name])
}

/** Maximum difference between the timestamp and the verifier's clock, in seconds. */
const TOLERANCE = 300

/** Parses a timestamp as whole seconds. @param checks - The directions that verifiers of the profile check. */
function readTimestamp(text: string, nowSeconds: number, checks: 'both' | 'past') {
  if (/^\d{12,}$/.test(text)) {
    const seconds = Math.floor(Number(text) / 1000)
    const found = mistake(
      'milliseconds',
      `the timestamp ${text} is in milliseconds: send whole seconds, ${seconds}`,
    )
    return { seconds, mistakes: [found] }
  }
  if (/^\d+$/.test(text)) return { seconds: Number(text), mistakes: age(Number(text), nowSeconds, checks) }
  const parsed = Date.parse(text)
  const seconds = Number.isNaN(parsed) ? null : Math.floor(parsed / 1000)
  const example = seconds ?? nowSeconds
  return {
    seconds,
    mistakes: [
      mistake('timestamp-format', `the timestamp "${text}" is not whole seconds since 1970: ${example}`),
    ],
  }
}

function age(seconds: number, nowSeconds: number, checks: 'both' | 'past'): Mistake[] {
  const old = nowSeconds - seconds
  if (old > TOLERANCE) {
    return [
      mistake(
        'stale',
        `the timestamp is ${old} seconds old, ${TOLERANCE} are allowed: set the clock, sign each attempt anew, or pass the arrival time of an old callback`,
      ),
    ]
  }
  if (checks === 'both' && -old > TOLERANCE) {
    return [
      mistake('future', `the timestamp is ${-old} seconds ahead, ${TOLERANCE} are allowed: set the clock`),
    ]
  }
  return []
}

interface Trial {
  /** Null for the correct form. */
  readonly mistake: Mistake | null
  readonly key: Buffer | string
  readonly algorithm: Claim['algorithm']
  readonly signed: () => Buffer
}

/** Yields one mistake at a time, the most common first. */
function* trials(claim: Claim, right: Trial, seconds: string, input: CheckInput): Generator<Trial> {
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
