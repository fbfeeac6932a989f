import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { profiles } from '../../../src/callbacks/signatures/profiles/profiles.ts'
import { DEMO_SIGNING_SECRET } from '../../../src/callbacks/signatures/secrets.ts'
import { profilesMarkdown, verdictsMarkdown } from './documentation.ts'

/** Cells without the padding that formatting adds. */
const plain = (text: string) => text.replace(/ *\| */g, '|').replace(/-{3,}/g, '---')

it('the documentation shows every profile', async () => {
  expect(plain(await readFile('docs/signatures.md', 'utf8'))).toContain(plain(profilesMarkdown()))
})

it('the table of profiles contains every module of the folder', async () => {
  const modules = (await readdir('src/callbacks/signatures/profiles')).filter(
    (file) => file !== 'profiles.ts',
  )
  // The profile without a signature has no module.
  const signed = profiles.filter(({ name }) => name !== 'none')
  expect(signed.map(({ name }) => `${name}.ts`).toSorted()).toEqual(modules.toSorted())
})

it('the documentation contains the results of the verifiers', async () => {
  const documentation = await readFile('docs/signatures.md', 'utf8')
  expect(plain(documentation)).toContain(plain(await verdictsMarkdown()))
})

it('the documentation names the secret of the demo world', async () => {
  expect(await readFile('docs/signatures.md', 'utf8')).toContain(DEMO_SIGNING_SECRET)
})
