import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { Script } from 'node:vm'

const launcher = (await readFile('bin/payments-sandbox.cjs', 'utf8')).replace(/^#!.*/, '')
const { engines } = JSON.parse(await readFile('package.json', 'utf8'))

/** What the launcher does on that version, with the program's own code out of reach. */
function launch(version: string) {
  const process = {
    versions: { node: version },
    exitCode: 0,
    stderr: { write: (text: string) => (seen.said += text) },
  }
  const seen = { said: '', loaded: '' }
  new Script(launcher).runInNewContext({
    process,
    Number,
    require: (path: string) => (path === 'module' ? {} : (seen.loaded = path)),
  })
  return { code: process.exitCode, ...seen }
}

describe('the launcher', () => {
  it.each(['0.10.48', '12.22.12', '18.20.8', '20.18.3'])('says in one line that %s is too old', (version) => {
    const { code, said, loaded } = launch(version)
    expect({ code, loaded }).toEqual({ code: 3, loaded: '' })
    expect(said).toMatch(/^payments-sandbox needs Node\.js 20\.19 or newer; this is [\d.]+\. .*\n$/)
    expect(said).toContain(version)
  })

  it.each(['20.19.0', '22.0.0', '24.11.1'])('loads the program on %s', (version) => {
    expect(launch(version)).toEqual({ code: 0, said: '', loaded: '../dist/cli.cjs' })
  })

  it('requires the Node.js version of package.json', () => {
    expect(engines.node).toBe(`>=${/needed = \[(\d+), (\d+)\]/.exec(launcher)!.slice(1).join('.')}`)
  })
})
