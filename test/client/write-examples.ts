/** Writes the examples of the library as a test; part of `npm run generate`. */
import { writeFile } from 'node:fs/promises'
import { examplesTest } from './examples.ts'

const file = 'test/client/examples.test.ts'
await writeFile(file, await examplesTest(file))
