import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as readers from '../../src/http/parameter-readers.ts'

/** What a reader makes of a text: the value, or the message of the refusal. */
function read(reader: z.ZodType, text: unknown): unknown {
  const result = reader.safeParse(text)
  return result.success ? result.data : result.error.issues.map(({ message }) => message).join()
}

describe('an integer', () => {
  const reader = readers.integer(z.int())

  it.each([
    ['63', 63],
    ['0', 0],
    ['-5', -5],
    ['007', 7],
    ['9007199254740991', 9007199254740991],
  ])('%j is read as %j', (text, value) => {
    expect(read(reader, text)).toBe(value)
  })

  it.each([
    '',
    ' ',
    ' 63',
    '63 ',
    '+63',
    '1.5',
    '1.0',
    '1e3',
    '0x10',
    'abc',
    'NaN',
    'Infinity',
    '٣',
    '--1',
    '1_000',
    '63\n',
  ])('%j is refused', (text) => {
    expect(read(reader, text)).toBe('must be a whole number in digits, such as 63')
  })

  it.each(['9007199254740992', '-9007199254740992', '9'.repeat(400)])(
    '%s is beyond the safe range',
    (text) => {
      expect(reader.safeParse(text).success).toBe(false)
    },
  )

  it('is refused when it breaks its own limits', () => {
    const page = readers.integer(z.int().min(1).max(100))
    expect(read(page, '100')).toBe(100)
    expect(page.safeParse('0').success).toBe(false)
    expect(page.safeParse('101').success).toBe(false)
  })

  it('may be omitted or have a default if described so', () => {
    expect(read(reader.optional(), undefined)).toBe(undefined)
    expect(read(reader.default(20), undefined)).toBe(20)
    expect(reader.default(20).safeParse('').success).toBe(false)
  })

  it.each([undefined, null, 63, ['63', '64']])('is not taken from anything but a text: %j', (value) => {
    expect(reader.safeParse(value).success).toBe(false)
  })
})

describe('a number', () => {
  const reader = readers.number(z.number())

  it.each([
    ['12.5', 12.5],
    ['-0.25', -0.25],
    ['3', 3],
    ['1e3', 1000],
    ['2.5E-1', 0.25],
  ])('%j is read as %j', (text, value) => {
    expect(read(reader, text)).toBe(value)
  })

  it.each(['', '+1.5', '.5', '5.', '1,5', '1.2.3', 'NaN', 'Infinity', '0x1f', ' 1', 'e3'])(
    '%j is refused',
    (text) => {
      expect(read(reader, text)).toBe('must be a number, such as 12.5')
    },
  )

  it.each(['1e400', '-1e400'])('%s is refused, being no finite number', (text) => {
    expect(reader.safeParse(text).success).toBe(false)
  })
})

describe('a boolean', () => {
  const reader = readers.boolean()

  it('is read from the words true and false', () => {
    expect(read(reader, 'true')).toBe(true)
    expect(read(reader, 'false')).toBe(false)
  })

  it.each(['', '0', '1', 'TRUE', 'yes', 'true ', 'truefalse'])('%j is refused', (text) => {
    expect(read(reader, text)).toBe('must be true or false')
  })
})
