import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { DEMO_SIGNING_SECRET } from '../../src/signatures/secrets.ts'
import { tableMarkdown } from './table.ts'

/** Cells without the padding that formatting adds. */
const plain = (text: string) => text.replace(/ *\| */g, '|').replace(/-{3,}/g, '---')

it('the documentation shows the table as the verifiers give it', async () => {
  const documentation = await readFile('docs/signatures.md', 'utf8')
  expect(plain(documentation)).toContain(plain(await tableMarkdown()))
})

it('the documentation names the secret of the demo world', async () => {
  expect(await readFile('docs/signatures.md', 'utf8')).toContain(DEMO_SIGNING_SECRET)
})
