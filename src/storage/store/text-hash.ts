import { unforeseeableWord } from '../../lib/random/random.ts'

/** 32 bits of a text, as a signed number. */
export type TextHash = (text: string) => number

/**
 * HalfSipHash-1-3 over UTF-16 units, two at a time. It has a key, so that nobody can choose texts that fall together and
 * make every look for one of them long.
 */
export function keyedHash(key0: number, key1: number): TextHash {
  // One loop without calls, for the sake of speed: every identifier of a payment goes through it.
  return (text) => {
    let a = key0
    let b = key1
    let c = key0 ^ 0x6c796765
    let d = key1 ^ 0x74656462
    const { length } = text
    const words = (length + 1) >> 1
    // Behind the text come its length and three rounds with nothing.
    for (let i = 0; i < words + 4; i += 1) {
      let word = 0
      if (i < words) {
        word = text.charCodeAt(2 * i)
        if (2 * i + 1 < length) word |= text.charCodeAt(2 * i + 1) << 16
      } else if (i === words) word = length
      else if (i === words + 1) c ^= 0xff
      d ^= word
      a = (a + b) | 0
      b = ((b << 5) | (b >>> 27)) ^ a
      a = (a << 16) | (a >>> 16)
      c = (c + d) | 0
      d = ((d << 8) | (d >>> 24)) ^ c
      a = (a + d) | 0
      d = ((d << 7) | (d >>> 25)) ^ a
      c = (c + b) | 0
      b = ((b << 13) | (b >>> 19)) ^ c
      c = (c << 16) | (c >>> 16)
      a ^= word
    }
    return b ^ d
  }
}

/** The same for all tables of the process, and another in the next. */
export const hashOf = keyedHash(unforeseeableWord(), unforeseeableWord())
