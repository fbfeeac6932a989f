/** `npm run build`: writes everything that the package contains in `dist/`. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { files } from '../src/lib/files.ts'
import { bundle } from './bundle.ts'
import { licencesOf } from './licences.ts'
import { sbomOf } from './sbom.ts'
import { shortenMaps } from './smaller.ts'
import { writeTypes } from './types.ts'

await rm('dist', { recursive: true, force: true })
const { inputs, outputs } = await bundle()
await shortenMaps(Object.keys(outputs))
await writeTypes(
  [
    'index',
    'client/matchers',
    'callbacks/receivers/to-fetch',
    'certify/library',
    'fidelity/library',
    'client/fixtures/vitest',
    'client/fixtures/jest',
    'client/fixtures/playwright',
    'client/fixtures/node-test',
  ],
  'dist/types',
)
await writeFile('dist/THIRD-PARTY-LICENSES.txt', await licencesOf(inputs))
await writeFile('dist/sbom.cdx.json', await sbomOf(inputs))
await mkdir('dist/viewer')
await writeFile(files.viewerBrotli, await smallViewer())
for (const api of ['service', 'control', 'extensions']) {
  const description = `dist/generated/${api}/openapi.json`
  await writeFile(`${description}.br`, smallest(await readFile(description)))
  await rm(description)
}

const sizes = Object.entries(outputs).map(([file, { bytes }]) => ({ file, bytes }))
for (const { file, bytes } of sizes.sort((a, b) => b.bytes - a.bytes))
  console.log(`${String(Math.round(bytes / 1024)).padStart(6)} KB  ${file}`)

/** Returns the compressed viewer. It changes only with the viewer's version, so the result is cached next to the file. */
async function smallViewer(): Promise<Buffer> {
  const bytes = await readFile(files.viewer)
  const kept = new URL('scalar.js.br', files.viewer)
  const made = await readFile(kept).catch(() => undefined)
  if (made && isOf(made, bytes)) return made
  const small = smallest(bytes)
  await writeFile(kept, small)
  return small
}

function isOf(made: Buffer, bytes: Buffer): boolean {
  try {
    return brotliDecompressSync(made).equals(bytes)
  } catch {
    return false
  }
}

/** Quality 10, because quality 11 takes twice as long for 2 % less. */
function smallest(bytes: Buffer): Buffer {
  const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants
  const params = {
    [BROTLI_PARAM_QUALITY]: 10,
    [BROTLI_PARAM_LGWIN]: 24,
    [BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  return brotliCompressSync(bytes, { params })
}
