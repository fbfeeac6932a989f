import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { ended } from './process.ts'

async function printed(...args: readonly string[]) {
  const { code, out } = await ended(['scenarios', ...args])
  return { code, text: out }
}

const shipped = 'scenarios/payer-cancels.yaml'

describe.each(['check', 'test'])('scenarios %s', (command) => {
  it('exits with 1 and the name of a folder without scenario files', async () => {
    const folder = temporaryFolder()
    expect(await printed(command, folder)).toEqual({
      code: 1,
      text: `${folder}: contains no scenario file; scenario files end with .yaml, .yml or .json\n`,
    })
  })

  it('reads subfolders except hidden ones and node_modules', async () => {
    const folder = temporaryFolder()
    for (const inner of ['momo/failures', '.cache', 'node_modules/other']) {
      await mkdir(join(folder, inner), { recursive: true })
      await copyFile(shipped, join(folder, inner, 'mine.yaml'))
    }
    const { code, text } = await printed(command, folder)
    expect(code).toBe(0)
    expect(text).toMatch(/^1 scenario file is valid\n$|^ok {4}mine: .*\n1 of 1 scenario files passed\n$/)
  })

  it('exits with 1 for duplicate names', async () => {
    const folder = temporaryFolder()
    await mkdir(join(folder, 'inner'))
    for (const file of ['mine.yaml', 'inner/mine.yaml']) await copyFile(shipped, join(folder, file))
    const { code, text } = await printed(command, folder)
    expect(code).toBe(1)
    expect(text).toMatch(/the name mine is not unique: .*inner.mine\.yaml also has it; rename one of them/)
  })
})

describe('scenarios test --junit', () => {
  it('exits with 1 and a hint if the report cannot be written', async () => {
    const junit = join(temporaryFolder(), 'nowhere/report.xml')
    const { code, text } = await printed('test', shipped, '--junit', junit)
    expect(code).toBe(1)
    expect(text).toContain('1 of 1 scenario files passed\n')
    expect(text).toContain(
      `--junit ${junit}: the report cannot be written: there is no such folder; pass the path of a file in an existing folder\n`,
    )
  })

  it('writes the report', async () => {
    const junit = join(temporaryFolder(), 'report.xml')
    expect((await printed('test', shipped, '--junit', junit)).code).toBe(0)
    expect(await readFile(junit, 'utf8')).toContain('tests="1" failures="0"')
  })
})
