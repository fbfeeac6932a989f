import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const der = privateKey.export({ format: 'der', type: 'pkcs8' })
const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d!, 'base64url')
const read = (text: string) => readConfig({ SANDBOX_CERTIFICATION_KEY: text }).certificationKey

it.each([
  ['PEM', pem],
  ['PEM on one line', pem.trim().replaceAll('\n', '\\n')],
  ['PEM in base64', Buffer.from(pem).toString('base64')],
  ['PKCS #8 in base64', der.toString('base64')],
  ['its 32 bytes in base64', seed.toString('base64')],
  ['its 32 bytes in base64url', seed.toString('base64url')],
])('a key is accepted as %s', (_, text) => {
  expect(read(text)).toBe(der.toString('base64'))
})

it('older keys are published by their public halves', () => {
  const [older, oldest] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')]
  const below = [
    older.privateKey.export({ format: 'pem', type: 'pkcs8' }),
    oldest.publicKey.export({ format: 'pem', type: 'spki' }),
  ].join('')
  const half = (key: typeof publicKey) => key.export({ format: 'der', type: 'spki' }).toString('base64')
  const all = [der.toString('base64'), half(older.publicKey), half(oldest.publicKey)].join(' ')
  for (const text of [
    pem + below,
    (pem + below).replaceAll('\n', '\\n'),
    Buffer.from(pem + below).toString('base64'),
  ])
    expect(read(text)).toBe(all)
  expect(() => read(below.slice(below.indexOf('-----BEGIN PUBLIC')) + pem)).toThrow(
    'SANDBOX_CERTIFICATION_KEY',
  )
  expect(() => read(`${pem}-----BEGIN PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----`)).toThrow(
    'SANDBOX_CERTIFICATION_KEY',
  )
})

it.each([
  ['a word', 'a-secret-word'],
  ['a public key', publicKey.export({ format: 'pem', type: 'spki' }).toString()],
  [
    'a key of another kind',
    generateKeyPairSync('ec', { namedCurve: 'P-256' })
      .privateKey.export({ format: 'pem', type: 'pkcs8' })
      .toString(),
  ],
  ['half a key', pem.slice(0, 60)],
  ['31 bytes', seed.subarray(1).toString('base64')],
])('%s stops the start without being shown, and the message says what is accepted', (_, text) => {
  const message = (() => {
    try {
      return String(read(text))
    } catch (error) {
      return (error as Error).message
    }
  })()
  expect(message).toMatch(/^SANDBOX_CERTIFICATION_KEY .*openssl genpkey -algorithm ed25519/)
  expect(message).not.toContain(text.slice(0, 40))
})
