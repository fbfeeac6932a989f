/** `npm run build`: all that the package has in `dist/`. */
import { rm, writeFile } from 'node:fs/promises'
import { bundle, form } from './bundle.ts'
import { writeCommonJs } from './commonjs.ts'
import { licencesOf } from './licences.ts'
import { sbomOf } from './sbom.ts'
import { writeTypes } from './types.ts'

await rm('dist', { recursive: true, force: true })
const { metafile, dashboard } = await bundle()
const inputs = Object.keys({ ...metafile.inputs, ...dashboard.inputs })
// Their maps would say the same twice, in a package that is large enough.
await writeCommonJs(['index.js', 'matchers.js'], 'dist', metafile, { ...form, sourcemap: false })
await writeTypes(['index', 'client/matchers'], 'dist/types')
await writeFile('dist/THIRD-PARTY-LICENSES.txt', await licencesOf(inputs))
await writeFile('dist/sbom.cdx.json', await sbomOf(inputs))

const sizes = Object.entries({ ...metafile.outputs, ...dashboard.outputs }).map(([file, { bytes }]) => ({
  file,
  bytes,
}))
for (const { file, bytes } of sizes.sort((a, b) => b.bytes - a.bytes))
  console.log(`${String(Math.round(bytes / 1024)).padStart(6)} KB  ${file}`)
