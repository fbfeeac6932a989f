import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../src/cli/output.ts'
import { ended } from '../cli/process.ts'
import { temporaryFolder } from '../support/folder.ts'
import { failingStart, startProcess } from '../support/process.ts'

/** It ends with the code of its cause (exitCodes) and prints why in one line, without a stack. */
async function expectRefusal(
  env: Record<string, string>,
  message: RegExp | string,
  exit: number = exitCodes.start,
  refused = ended(['start'], { PORT: '0', ...env }),
) {
  const { code, out, err } = await refused
  expect(code).toBe(exit)
  expect(out).toBe('')
  expect(err).toMatch(message)
  expect(err.trimEnd().split('\n')).toHaveLength(1)
}

describe('the start fails', () => {
  it('when the port is in use', async () => {
    const { url } = await startProcess()
    const { port } = new URL(url)
    // As a process, which open handles would keep alive.
    await expectRefusal(
      {},
      `port ${port} is in use; set SANDBOX_PORT (--port) to another one, or to 0`,
      exitCodes.start,
      failingStart({ PORT: port }).then(({ code, stdout, stderr }) => ({
        code: code!,
        out: stdout,
        err: stderr,
      })),
    )
  })

  it('when HOST is not an address of this machine', () =>
    expectRefusal({ HOST: '192.0.2.1' }, 'this machine has no address 192.0.2.1;'))

  it.each([
    ['SANDBOX_PORT', '80a', /^SANDBOX_PORT must be a whole number from 0 to 65535, got "80a"$/m],
    [
      'PORT',
      '80a',
      'PORT must be a whole number from 0 to 65535, got "80a"; if it is meant for another program, set SANDBOX_PORT, which takes precedence',
    ],
    ['HOST', 'a b', 'if it is meant for another program, set SANDBOX_HOST, which takes precedence'],
    ['SANDBOX_SETTLE_AFTER', 'soon', 'SANDBOX_SETTLE_AFTER must be a duration'],
    ['SANDBOX_CALLBACK_SHAPE', 'round', 'SANDBOX_CALLBACK_SHAPE must be flat or nested, got "round"'],
    ['SANDBOX_LOG_LEVEL', 'loud', 'SANDBOX_LOG_LEVEL must be debug, info'],
  ])('when %s is "%s"', (name, value, message) => expectRefusal({ [name]: value }, message, exitCodes.usage))

  it('when the folder of SANDBOX_DB does not exist', () =>
    expectRefusal(
      { SANDBOX_DB: join(temporaryFolder(), 'none', 'rows.json') },
      /^Rows cannot be stored in .*Use a file in an existing, writable folder\.$/m,
    ))

  it('when SANDBOX_DB is a folder', () => {
    const db = join(temporaryFolder(), 'rows.json')
    mkdirSync(db)
    return expectRefusal({ SANDBOX_DB: db }, /^Rows cannot be stored in /)
  })

  it('when SANDBOX_DB is not a file of the sandbox', () => {
    const db = join(temporaryFolder(), 'rows.json')
    writeFileSync(db, '{"hello":"world"}\n')
    return expectRefusal({ SANDBOX_DB: db }, /rows\.json line 1/)
  })

  it('when another sandbox uses SANDBOX_DB', async () => {
    const db = join(temporaryFolder(), 'rows.json')
    const { child } = await startProcess({ SANDBOX_DB: db })
    await expectRefusal({ SANDBOX_DB: db }, `process ${child.pid} is using it`)
  })
})
