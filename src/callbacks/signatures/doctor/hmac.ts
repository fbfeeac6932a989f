/** Checks an HMAC claim: the right way first, then each known mistake alone, until one fits. */
import { createHmac } from 'node:crypto'
import { bodyBytes } from '../profile.ts'
import { secretBytes } from '../secrets.ts'
import type { Claim } from './claim.ts'
import {
  diagnose,
  missingHeaders,
  mistake,
  type CheckInput,
  type Diagnosis,
  type Mistake,
} from './diagnosis.ts'
import { readTimestamp } from './timestamps.ts'
import { trials, type Trial } from './trials.ts'

/** @param claim null when the request claims nothing; so is the answer then */
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

/** The first trial that gives one of the signatures, and how that is written wrongly. */
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

/** A signature, whatever it was encoded with. */
interface Reading {
  readonly bytes: Buffer
  /** How it reads, in words. */
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
