import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { startProcess } from '../support/process.ts'
import { within } from '../support/within.ts'

const folder = mkdtempSync(join(tmpdir(), 'open-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Until a text is there. */
const once = (what: string, read: () => string) =>
  within<string>(what, 30_000, (found) => {
    const timer = setInterval(() => {
      const text = read()
      if (text === '') return
      clearInterval(timer)
      found(text)
    }, 20)
  })

describe.runIf(process.platform === 'linux')('start --open', () => {
  it('shows the dashboard in the browser', async () => {
    const opened = join(folder, 'opened')
    const opener = join(folder, 'xdg-open')
    writeFileSync(opener, `#!/bin/sh\nprintf %s "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`)
    chmodSync(opener, 0o755)
    const { url, stop } = await startProcess({ PATH: `${folder}:/bin:/usr/bin` }, ['start', '--open'])
    const shown = await once('the address', () => (existsSync(opened) ? readFileSync(opened, 'utf8') : ''))
    expect(shown).toBe(`${url}/dashboard`)
    expect(await stop('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
  })

  it('prints the address if there is no browser', async () => {
    const { url, stop } = await startProcess({ PATH: join(folder, 'nothing') }, ['start', '--open'])
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    expect(await stop('SIGTERM')).toMatchObject({
      code: 0,
      stderr: `Could not open a browser; the dashboard is at ${url}/dashboard\n`,
    })
  })
})
