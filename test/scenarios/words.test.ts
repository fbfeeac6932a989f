import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { checkFile } from '../../src/scenarios/file.ts'
import { describeOutcome } from '../../src/scenarios/decide.ts'
import { describePart, outcomeOf, type ThenFile, thenWords } from '../../src/scenarios/then/table.ts'

describe('the words of then', () => {
  it('have a row in the table', async () => {
    const files = [
      import('../../src/scenarios/then/callback.ts'),
      import('../../src/scenarios/then/words.ts'),
    ]
    expect(readdirSync('src/scenarios/then')).toHaveLength(files.length + ['table.ts', 'word.ts'].length)
    const exported = (await Promise.all(files)).flatMap((file) => Object.entries(file))
    const words = exported.flatMap(([name, value]) =>
      value instanceof Object && 'part' in value ? [name] : [],
    )
    expect(words.sort()).toEqual(Object.keys(thenWords).sort())
  })

  it.each(Object.entries(thenWords))('%s accepts its own example and describes it', async (name, word) => {
    const then = { [name]: parse(word.example) as unknown } as ThenFile
    expect(await checkFile({ title: 'T', then })).toEqual({ file: { title: 'T', then } })
    const outcome = outcomeOf(then)
    expect(describePart(word, outcome)).not.toEqual([])
    expect(describeOutcome(outcome)).toBe(describePart(word, outcome).join(', '))
  })
})
