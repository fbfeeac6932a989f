import { readFile } from 'node:fs/promises'
import { files } from '../files.ts'
import { asset } from './asset.ts'

/** The JSON schema of scenario files, for editors that complete and check as one types. */
export const scenarioSchema = () =>
  asset({
    type: 'application/schema+json; charset=utf-8',
    make: () => readFile(new URL('scenario.schema.json', files.scenarios)),
  })
