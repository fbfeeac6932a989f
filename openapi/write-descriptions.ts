/**
 * The second half of `npm run generate`: tries the requests under openapi/examples against the sandbox that the first half
 * made the code of, and writes the descriptions as they are served, with what it answered.
 */
import { join } from 'node:path'
import { loadPath } from '../src/scenarios/read.ts'
import { collectionsOf } from './collections.ts'
import { describe, readDescribed, served } from './described.ts'
import { lintDescription } from './read-description.ts'
import { renderDocument } from './render.ts'
import { withWebhooks } from './webhooks.ts'
import { writeFiles } from './write-files.ts'

const scenarios = await loadPath('scenarios')
try {
  for (const each of served) {
    const document = withWebhooks(await describe(await readDescribed(each, scenarios), each))
    const changed = [
      ...(await writeFiles(each.folder, renderDocument(document))),
      ...(await writeFiles('collections', collectionsOf(each.folder.split('/').at(-1)!, document))),
    ]
    for (const path of changed) console.log(`wrote ${path}`)
    await lintDescription(join(each.folder, 'openapi.yaml'))
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
