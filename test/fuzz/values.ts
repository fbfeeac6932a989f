/** Values that programs trip over, and changes of good ones. */
import type { Chance } from './chance.ts'

const numbers = [
  0,
  -0,
  1,
  -1,
  0.1,
  -0.5,
  1e-7,
  255,
  256,
  65_536,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  8.64e15,
  8.64e15 + 1,
  253402300799999,
  253402300800000,
  -62167219200001,
  1e21,
  1e308,
  -1e308,
  5e-324,
]

const durations = [
  '0',
  '1ms',
  '1.5s',
  '2s',
  '1h',
  '1m30s',
  '36525d',
  '36526d',
  '9007199254740000',
  '9007199254740993',
  `${'9'.repeat(400)}d`,
  '1e9',
  '-1s',
  'soon',
  '3000000d',
  '24h',
]

const times = [
  '2026-06-30T00:44:53Z',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59-23:59',
  '0000-01-01T00:00:00Z',
  '0000-01-01T00:00:00+23:59',
  '+275760-09-13T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-06-30',
  'yesterday',
  '1970-01-01T00:00:00Z',
]

const texts = [
  '',
  ' ',
  '\0',
  '\n',
  '\r\n',
  '\ud800',
  '\udc00x',
  '\u{1f600}',
  '\u202e',
  '\ufeff',
  'ﷺ',
  'İ',
  'ß',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'prototype',
  'valueOf',
  'null',
  'undefined',
  'true',
  'NaN',
  'Infinity',
  '-0',
  '1e999',
  '%',
  '%00',
  '%E0%A4%A',
  '../..',
  '..%2f',
  '/',
  '//',
  '\\',
  '?',
  '#',
  '*',
  '[',
  '(',
  '^(a+)+$',
  '{{x}}',
  '${x}',
  '<b>',
  '&amp;',
  "'",
  '"',
  ';',
  ',',
  '=',
  ':',
  '+',
  '+254712345678',
  '254712345678',
  '0712345678',
  'KE',
  'KES',
  'XX',
  'http://',
  'http://a',
  'https://user:pass@receiver.test/x?token=1#y',
  'file:///etc/passwd',
  'http://[::1',
  'javascript:x',
  'a@b',
  'a@b.example',
  'whsec_',
  'demo',
]

const deep = (levels: number) => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** A value of no particular kind. */
export function odd(chance: Chance): unknown {
  switch (chance.below(12)) {
    case 0:
      return chance.pick([null, true, false])
    case 1:
    case 2:
      return chance.pick(numbers)
    case 3:
      return chance.pick(durations)
    case 4:
      return chance.pick(times)
    case 5:
      return 'x'.repeat(chance.pick([64, 255, 256, 1_000, 2_049, 70_000]))
    case 6:
      return chance.pick(texts).repeat(chance.pick([1, 1, 100]))
    case 7:
      return chance.pick([[], [[]], [null], [1, '1', {}], Array.from({ length: 300 }, (_, n) => n)])
    case 8:
      return chance.pick([
        {},
        { a: 1 },
        { ['__proto__']: 1, constructor: {} },
        JSON.parse('{"__proto__":{"x":1}}'),
      ])
    case 9:
      return chance.once(8) ? deep(chance.pick([40, 200, 1_000])) : deep(5)
    default:
      return chance.pick(texts)
  }
}

/** Odd text for where only text goes: paths, queries, headers. */
export const oddText = (chance: Chance): string =>
  chance.pick([
    () => chance.pick(texts),
    () => chance.pick(durations),
    () => chance.pick(times),
    () => String(chance.pick(numbers)),
    () => 'y'.repeat(chance.pick([65, 256, 3_000])),
  ])()

type Holder = Record<string | number, unknown>

/** The good value with up to three places changed: replaced, taken out, added to. */
export function spoilt(chance: Chance, value: unknown): unknown {
  if (chance.once(12)) return odd(chance)
  const copy = structuredClone(value)
  for (let times = chance.below(3); times >= 0; times--) spoilOne(chance, copy)
  return copy
}

function spoilOne(chance: Chance, value: unknown): void {
  let holder = value
  for (;;) {
    if (typeof holder !== 'object' || holder === null) return
    const keys = Object.keys(holder)
    if (keys.length === 0 || chance.once(8)) return add(chance, holder)
    const key = chance.pick(keys)
    const inner = (holder as Holder)[key]
    if (typeof inner === 'object' && inner !== null && !chance.once(4)) {
      holder = inner
      continue
    }
    if (chance.once(5)) delete (holder as Holder)[key]
    else (holder as Holder)[key] = odd(chance)
    return
  }
}

function add(chance: Chance, holder: object): void {
  const key = chance.pick(texts)
  if (Array.isArray(holder)) holder.push(odd(chance))
  else
    Object.defineProperty(holder, key, {
      value: odd(chance),
      enumerable: true,
      configurable: true,
      writable: true,
    })
}
