import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createLog } from '../../src/lib/log/log.ts'
import { loadLibrary, openScenarios } from '../../src/scenarios/load.ts'
import { temporaryFolder } from '../support/folder.ts'
import { within } from '../support/within.ts'
import { ended } from '../cli/process.ts'

const slow = (delay: string) =>
  `title: Slow\nthen: { delay: ${delay} }\nexpect: { request: getAccount, delay: ${delay} }\n`
const names = async (given: string | null) => [...(await loadLibrary(given)).byName.keys()]

describe('SANDBOX_SCENARIOS', () => {
  it('defaults to the shipped scenarios', async () => {
    expect(await names(null)).toContain('payer-cancels')
  })

  it('loads a folder, whose files replace shipped ones', async () => {
    const folder = temporaryFolder()
    await writeFile(join(folder, 'mine.yaml'), slow('1s'))
    await writeFile(join(folder, 'payer-cancels.json'), JSON.stringify({ title: 'Mine', then: {} }))
    await writeFile(join(folder, 'notes.txt'), 'no scenario')
    const library = await loadLibrary(folder)
    expect(library.byName.get('mine')!.source).toMatch(/mine\.yaml$/)
    expect(library.byName.get('payer-cancels')!.title).toBe('Mine')
  })

  it('loads a file', async () => {
    const file = join(temporaryFolder(), 'mine.yaml')
    await writeFile(file, slow('1s'))
    expect(await names(file)).toContain('mine')
  })

  it('accepts inline YAML', async () => {
    expect(await names('a:\n  title: A\n  then: {}\nb: { title: B, then: {} }\n')).toEqual(
      expect.arrayContaining(['a', 'b']),
    )
    expect(await names('{ title: A, then: { delay: 1s } }')).toContain('inline')
  })

  it.each([
    ['a place where nothing is', 'no/such/folder', 'no/such/folder:1:1 no such file or folder'],
    ['wrong YAML', 'title: A\nthen: { dely: 1 }', 'SANDBOX_SCENARIOS:2:9 "dely" is not a known key'],
  ])('prevents the start for %s', async (_, given, message) => {
    await expect(loadLibrary(given)).rejects.toThrow(message)
  })

  it('reports the issues of every file', async () => {
    const folder = temporaryFolder()
    await writeFile(join(folder, 'a.yaml'), 'title: A\nthen: { dely: 1 }\n')
    await writeFile(join(folder, 'b.yaml'), 'titel: B\n')
    await expect(loadLibrary(folder)).rejects.toThrow(/a\.yaml:2:9 .*\n.*b\.yaml:1:1 /)
  })

  it('reports a file that is too large along with the issues of others', async () => {
    const folder = temporaryFolder()
    await writeFile(join(folder, 'a.yaml'), '#'.repeat(1_048_577))
    await writeFile(join(folder, 'b.yaml'), 'title: B\nwhen: { reference: { matches: "(?=b)" } }\nthen: {}\n')
    await expect(loadLibrary(folder)).rejects.toThrow(
      /a\.yaml:1:1 the file is too large: 1048577 bytes, at most 1048576\n.*b\.yaml:2:31 "\(\?=b\)" has a look-ahead/,
    )
  })
})

describe('while the sandbox runs', () => {
  it('reloads a changed file, and keeps the previous one and reports the issue if it is invalid', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'mine.yaml')
    await writeFile(file, slow('1s'))
    const lines: string[] = []
    let wake = () => {}
    const log = createLog({
      level: 'info',
      terminal: false,
      now: () => 0,
      write(line) {
        lines.push(line)
        wake()
      },
    })
    const line = (word: string) =>
      within<void>(`a line with ${word}`, 30_000, (found) => {
        wake = () => {
          if (lines.some((each) => each.includes(word))) found()
        }
        wake()
      })
    const scenarios = await openScenarios(folder, log)
    const script = () => JSON.stringify(scenarios.library().byName.get('mine')!.script)
    expect(script()).toContain('1000')

    await writeFile(file, slow('2s'))
    await line('loaded')
    expect(script()).toContain('2000')

    await writeFile(file, 'title: Slow\nthen: { dely: 3s }\n')
    await line('kept as they were')
    expect(lines.at(-1)).toContain('did you mean delay?')
    expect(script()).toContain('2000')
    scenarios.close()
  })

  it('reloads a file in a subfolder', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'more', 'mine.yaml')
    await mkdir(join(folder, 'more'))
    await writeFile(file, slow('1s'))
    let taken = () => {}
    const log = createLog({ level: 'info', terminal: false, now: () => 0, write: () => taken() })
    const scenarios = await openScenarios(folder, log)
    await within<void>('a line that it is loaded', 30_000, (found) => {
      taken = found
      void writeFile(file, slow('2s'))
    })
    expect(JSON.stringify(scenarios.library().byName.get('mine')!.script)).toContain('2000')
    scenarios.close()
  })
})

describe('the command line', () => {
  const printed = async (...args: readonly string[]) => {
    const { code, out } = await ended(['scenarios', ...args])
    return { code, text: out }
  }

  it('checks files and names the line of an issue', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'mine.yaml')
    await writeFile(file, slow('1s'))
    expect(await printed('check', file)).toEqual({
      code: 0,
      text: '1 scenario file is valid\n',
    })
    await writeFile(file, 'title: A\nthen: { dely: 1 }\n')
    const wrong = await printed('check', folder)
    expect(wrong.code).toBe(1)
    expect(wrong.text).toMatch(/mine\.yaml:2:9 "dely" is not a known key \(did you mean delay\?\)\n$/)
    expect((await printed('test', folder)).code).toBe(1)
  })

  it('tests files, one line each, and writes JUnit', async () => {
    const folder = temporaryFolder()
    await writeFile(join(folder, 'passes.yaml'), slow('1s'))
    await writeFile(
      join(folder, 'lies.yaml'),
      slow('1s').replace('getAccount, delay: 1s', 'getAccount, response: 503'),
    )
    await writeFile(join(folder, 'says-nothing.yaml'), 'title: "<T>"\nthen: { delay: 1s }\n')
    const junit = join(folder, 'report.xml')
    const { code, text } = await printed('test', folder, '--junit', junit)
    expect(code).toBe(1)
    expect(text).toMatch(/^ok {4}passes: Slow \(\d+ ms\)$/m)
    expect(text).toMatch(/^FAIL {2}lies: Slow\n {8}request 1: response: expected 503, got /m)
    expect(text).toMatch(/^FAIL {2}says-nothing: <T>\n {8}expect is missing$/m)
    expect(text).toMatch(/^1 of 3 scenario files passed$/m)
    const report = await readFile(junit, 'utf8')
    expect(report).toContain('tests="3" failures="2"')
    expect(report).toContain('says-nothing: &lt;T&gt;')
  })

  it('lists the shipped scenarios', async () => {
    const { code, text } = await printed('list')
    expect(code).toBe(0)
    expect(text).toMatch(/^payer-cancels +0700000002 +The payer cancels the prompt$/m)
  })
})
