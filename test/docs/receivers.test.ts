import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { receivers } from '../../examples/receivers/check/receivers.ts'
import { rows } from '../../examples/receivers/check/rows.ts'
import { scenariosWithoutRow } from '../../examples/receivers/check/scenarios.ts'
import { cellsIn } from '../../examples/receivers/check/table.ts'
import { mapRows, wordRows } from '../../examples/receivers/check/words.ts'
import { callback, callbackWords } from '../../src/scenarios/then/callback.ts'
import { callbackMethods } from '../../src/service/vocabulary/terms.ts'

const tried = cellsIn(readFileSync('docs/receivers.md', 'utf8'))

describe('docs/receivers.md covers', () => {
  it.each([...callbackWords])('%s', (word) => {
    expect(wordRows.map(({ title }) => title)).toContain(`\`${word}\``)
  })

  it.each(callbackMethods)('%s', (method) => {
    expect(mapRows.method.map(({ title }) => title)).toContain(`\`method: ${method}\``)
  })

  it('each callback word of scenario files', () => {
    const [, map] = callback.schema().options
    expect(Object.keys(mapRows).sort()).toEqual(Object.keys(map.shape).sort())
  })

  it('each shipped outcome about callbacks', () => {
    expect(scenariosWithoutRow('scenarios')).toEqual([])
  })
})

describe('the table of docs/receivers.md', () => {
  it.each(rows.map(({ title }) => title))('lists the result of every receiver for %s', (title) => {
    for (const name of Object.keys(receivers)) expect(tried(title, name), name).toMatch(/^(\d{3}|cut|none)/)
  })

  it('has no callback twice', () => {
    const titles = rows.map(({ title }) => title)
    expect(titles).toEqual([...new Set(titles)])
  })

  it('reads the exceptions of a receiver', () => {
    expect(tried('chunked', 'django')).toBe('401, waiting')
    expect(tried('chunked', 'hono')).toBe('204, paid')
  })
})
