import { mkdtemp, readFile, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { writeFiles } from '../../openapi/write-files.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'generated-'))
})
afterEach(() => rm(folder, { recursive: true }))

const files = new Map([
  ['a.ts', 'a\n'],
  ['b.ts', 'b\n'],
])
const path = (name: string) => join(folder, 'deep', name)
const write = (texts: ReadonlyMap<string, string>, check = false) =>
  writeFiles(join(folder, 'deep'), texts, { check })

it('creates the folder and lists the written files', async () => {
  expect(await write(files)).toEqual([path('a.ts'), path('b.ts')])
  expect(await readFile(path('b.ts'), 'utf8')).toBe('b\n')
})

it('leaves a file alone that has the text already', async () => {
  await write(files)
  await utimes(path('a.ts'), 1000, 1000)
  expect(await write(new Map([...files, ['b.ts', 'new\n']]))).toEqual([path('b.ts')])
  expect((await stat(path('a.ts'))).mtimeMs).toBe(1_000_000)
})

it('only lists the changes in check mode', async () => {
  expect(await write(files, true)).toEqual([path('a.ts'), path('b.ts')])
  await expect(stat(join(folder, 'deep'))).rejects.toThrow('ENOENT')
  await write(files)
  expect(await write(files, true)).toEqual([])
})
