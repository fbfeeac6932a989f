import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { examplesTest, exportsOf } from './examples.ts'

it.each(exportsOf())('$name has an example', ({ example }) => {
  expect(example).toBeDefined()
})

it('the generated test matches the docstrings', async () => {
  const file = 'test/client/examples.test.ts'
  expect(await readFile(file, 'utf8')).toBe(await examplesTest(file))
})
