import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { rows } from '../../examples/receivers/check/rows.ts'
import { scenariosWithoutRow } from '../../examples/receivers/check/scenarios.ts'
import { mapRows, wordRows } from '../../examples/receivers/check/words.ts'
import { callback, callbackWords } from '../../src/scenarios/then/callback.ts'
import { callbackMethods } from '../../src/service/vocabulary/terms.ts'

const lines = readFileSync('docs/receivers.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
const cells = lines.map((line) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim()),
)

describe('the receivers of docs/receivers.md are tried with', () => {
  it.each([...callbackWords])('%s', (word) => {
    expect(wordRows.map(({ title }) => title)).toContain(`\`${word}\``)
  })

  it.each(callbackMethods)('%s', (method) => {
    expect(mapRows.method.map(({ title }) => title)).toContain(`\`method: ${method}\``)
  })

  it('each word that a scenario file has for callbacks', () => {
    const [, map] = callback.schema().options
    expect(Object.keys(mapRows).sort()).toEqual(Object.keys(map.shape).sort())
  })

  it('each shipped scenario that is about callbacks', () => {
    expect(scenariosWithoutRow('scenarios')).toEqual([])
  })
})

describe('the table of docs/receivers.md', () => {
  it.each(rows.map(({ title }) => title))('says what each made of %s', (title) => {
    const row = cells.find(([first]) => first === title)
    expect(row).toHaveLength(9)
    expect(row).not.toContain('')
  })

  it('has no row twice', () => {
    const titles = rows.map(({ title }) => title)
    expect(titles).toEqual([...new Set(titles)])
  })
})
