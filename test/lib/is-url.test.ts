import { expect, it } from 'vitest'
import { isUrl } from '../../src/lib/text/is-url.ts'

it.each([
  'https://münchen.example/',
  'https://müller.example/?straße=größe',
  'https://例え.example/',
  'http://a/',
])('takes %s, however often it was asked', (url) => {
  let refused = 0
  for (let n = 0; n < 50_000; n++) if (!isUrl(url)) refused++
  expect(refused).toBe(0)
})

it.each(['', 'example.com', '//example.com', 'http://', 'http://a b/', 'http://[::1', 'http://a:99999/'])(
  'refuses "%s"',
  (text) => {
    expect(isUrl(text)).toBe(false)
  },
)
