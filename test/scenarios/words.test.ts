import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { checkFile } from '../../src/scenarios/file.ts'
import { describeOutcome } from '../../src/scenarios/describe.ts'
import { describePart, outcomeOf, type ThenFile, thenWords } from '../../src/scenarios/then/table.ts'

/** Files beside the words that are none. */
const machinery = ['table.ts', 'word.ts']

describe('the words of then', () => {
  it('have a row in the table for each of their files', () => {
    const files = readdirSync('src/scenarios/then').filter((file) => !machinery.includes(file))
    expect(files.sort()).toEqual(
      Object.keys(thenWords)
        .map((name) => `${name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}.ts`)
        .sort(),
    )
  })

  it.each(Object.entries(thenWords))(
    '%s takes its own example, and says what it does',
    async (name, word) => {
      const then = { [name]: parse(word.example) as unknown } as ThenFile
      expect(await checkFile({ title: 'T', then })).toEqual({ file: { title: 'T', then } })
      const outcome = outcomeOf(then)
      expect(describePart(word, outcome)).not.toEqual([])
      expect(describeOutcome(outcome)).toBe(describePart(word, outcome).join(', '))
    },
  )
})
