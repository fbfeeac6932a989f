import { scryptSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashChosen, hashDrawn, knownToMatch, passwordMatches } from '../../src/worlds/credentials.ts'

/** As another process would have kept it, so that nothing here knows it. */
const keptElsewhere = (password: string, salt = 'c2FsdA', N = 16_384) => {
  const hash = scryptSync(password, Buffer.from(salt, 'base64url'), 32, { N, r: 8, p: 1 })
  return `scrypt$${N}$8$1$${salt}$${hash.toString('base64url')}`
}

test('a chosen password is stored with scrypt and its own salt', async () => {
  const [one, other] = [await hashChosen('correct horse'), await hashChosen('correct horse')]
  expect(one).toMatch(/^scrypt\$16384\$8\$1\$[\w-]{24}\$[\w-]{43}$/)
  expect(other).not.toBe(one)
  expect(await hashChosen('correct horse', one)).toBe(one)
  const [salt, hash] = one.split('$').slice(4)
  expect(scryptSync('correct horse', Buffer.from(salt!, 'base64url'), 32).toString('base64url')).toBe(hash)
  expect(knownToMatch('correct horse', one)).toBe(true)
  expect(knownToMatch('correct hors', one)).toBe(false)
})

test('a password stored by another process is derived once, right or wrong', async () => {
  const kept = keptElsewhere('s3cret')
  expect(knownToMatch('wrong', kept)).toBeUndefined()
  expect(await passwordMatches('wrong', kept)).toBe(false)
  expect(knownToMatch('wrong', kept)).toBe(false)
  expect(knownToMatch('s3cret', kept)).toBeUndefined()
  expect(await passwordMatches('s3cret', kept)).toBe(true)
  expect(knownToMatch('s3cret', kept)).toBe(true)
  expect(knownToMatch('another', kept)).toBe(false)
})

test.each(['demo', 'viewer'])(
  'the published password %s takes no work, and its text is true',
  async (password) => {
    const kept = await hashChosen(password)
    expect(kept).toBe(keptElsewhere(password, kept.split('$')[4]))
    expect(knownToMatch(password, kept)).toBe(true)
    expect(knownToMatch('wrong', kept)).toBe(false)
  },
)

test('a generated password is stored with a salt and checked synchronously', () => {
  const drawn = 'Zm9vYmFyYmF6Zm9vYmFyYmF6'
  const [one, other] = [hashDrawn(drawn), hashDrawn(drawn)]
  expect(one).toMatch(/^sha256\$[\w-]{24}\$[\w-]{43}$/)
  expect(other).not.toBe(one)
  expect(knownToMatch(drawn, one)).toBe(true)
  expect(knownToMatch('wrong', one)).toBe(false)
})

test.each(['', 'scrypt$', 'scrypt$16384$8$1$c2FsdA$', 'scrypt$999999999$8$1$c2FsdA$aGFzaA', 'md5$a$b'])(
  'nothing fits the text "%s"',
  async (kept) => expect(await passwordMatches('', kept)).toBe(false),
)

test('many passwords are checked a few at a time, and too many are rejected', async () => {
  const kept = keptElsewhere('slow', 'c2FsdA', 2)
  const all = await Promise.allSettled(
    Array.from({ length: 210 }, (_, n) => passwordMatches(`guess ${n}`, kept)),
  )
  const refused = all.filter((each) => each.status === 'rejected')
  expect(refused).toHaveLength(8)
  expect(refused[0]!.reason).toMatchObject({ code: 'resource_exhausted' })
  expect(await passwordMatches('slow', kept)).toBe(true)
})
