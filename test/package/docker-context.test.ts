import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

it('the image is built from all files of the package', async () => {
  const { files } = JSON.parse(await readFile('package.json', 'utf8')) as {
    readonly files: readonly string[]
  }
  const copied = (await readFile('.dockerignore', 'utf8')).split('\n')
  const needed = files.filter((file) => !file.startsWith('!')).map((file) => file.split('/')[0]!)
  // The build makes it.
  const missing = needed.filter((name) => name !== 'dist' && !copied.includes(`!${name}`))
  expect(missing).toEqual([])
})
