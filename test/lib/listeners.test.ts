import { describe, expect, it } from 'vitest'
import { Listeners } from '../../src/lib/listeners.ts'

function heard() {
  const told: unknown[] = []
  const faults: unknown[] = []
  const listeners = new Listeners<[what: string]>((error, what) => faults.push([String(error), what]))
  return { listeners, told, faults }
}
const fail = (what: string) => {
  throw new Error(`no ${what}`)
}

describe('Listeners', () => {
  it('calls every listener even if one throws', () => {
    const { listeners, told, faults } = heard()
    listeners.add(fail)
    listeners.add((what) => void told.push(what))
    listeners.tell('news')
    expect([told, faults]).toEqual([['news'], [['Error: no news', 'news']]])
  })

  it('reports a listener that rejects later', async () => {
    const { listeners, faults } = heard()
    listeners.add(async (what) => fail(what))
    listeners.tell('news')
    await Promise.resolve()
    await Promise.resolve()
    expect(faults).toEqual([['Error: no news', 'news']])
  })

  it('calls every listener in turn even if one throws', async () => {
    const { listeners, told, faults } = heard()
    listeners.add(async (what) => {
      await Promise.resolve()
      told.push(`first ${what}`)
    })
    listeners.add(async (what) => fail(what))
    listeners.add((what) => void told.push(`last ${what}`))
    await listeners.tellInTurn('news')
    expect(told).toEqual(['first news', 'last news'])
    expect(faults).toEqual([['Error: no news', 'news']])
  })

  it('does not call removed listeners', () => {
    const { listeners, told } = heard()
    listeners.add((what) => void told.push(what))()
    listeners.add((what) => void told.push(what))
    listeners.clear()
    listeners.tell('news')
    expect([told, listeners.size]).toEqual([[], 0])
  })
})
