import { describe, expect, it } from 'vitest'
import { readAddress, readKey, sharedAddress } from '../../dashboard/core/address.ts'

const to = { world: 'demo+a', page: 'tx', thing: 'order/7', query: { tab: 'x&y' } }

describe('a shared link', () => {
  it.each([
    { username: 'key-Zt9uYb1c3kq0', password: 'q0fXb2H1rVnYtC4mKe9Z6aLu' },
    { username: 'demo+a', password: 'with:colons:and spaces' },
    { username: 'ключ', password: '💸\u202e<b>&"%2F' },
  ])('contains the key of $username and the target', (key) => {
    const address = sharedAddress(to, key)
    expect(address).toMatch(/^#\/demo\+a\/tx\/order%2F7\?/)
    const { query, ...place } = readAddress(address)
    expect(place).toEqual({ world: to.world, page: to.page, thing: to.thing })
    expect(query['tab']).toBe('x&y')
    expect(readKey(query['k']!)).toEqual(key)
    expect(query['k']).toMatch(/^[\w-]+$/)
  })

  it.each(['', 'abc', '!', 'OmE', 'YTo', '____', 'ZGVtbw'])(
    'yields no key if it is incomplete: %s',
    (text) => {
      expect(readKey(text)).toBeUndefined()
    },
  )
})
