import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { packagesOf } from './licences.ts'

/** A component of a CycloneDX bill of materials, reduced to the fields used here. */
interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly [field: string]: unknown
}

interface Bill {
  readonly metadata: { readonly component: Component; readonly [field: string]: unknown }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
  readonly [field: string]: unknown
}

/** The documentation viewer: one file of a package that is not a dependency (viewer/pinned.json). */
export interface Pinned {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly file: string
  readonly fileIntegrity: string
}

/**
 * Reduces npm's bill of all build dependencies to what the package contains: the bundled packages and the viewer. Omits
 * timestamps and serial numbers, so that builds are reproducible.
 * @param bundled - Packages as `name@version`
 */
export function billOf(all: Bill, bundled: ReadonlySet<string>, viewer: Pinned): Bill {
  const missing = [...bundled].filter((each) => !all.components.some((one) => one['bom-ref'] === each))
  if (missing.length > 0) throw new Error(`npm sbom does not list ${missing.join(', ')}; run npm ci`)
  const { serialNumber: _number, metadata, ...rest } = all
  const { timestamp: _time, component } = metadata
  const shown = component['bom-ref'].replace(/@[^@]*$/, '')
  const kept = (ref: string) => bundled.has(ref)
  const refs = [...bundled].sort()
  const viewerRef = `${viewer.name}@${viewer.version}`
  return {
    ...rest,
    metadata: { component: { ...asBundled(component), name: shown, type: 'application' } },
    components: [
      ...all.components.filter((one) => kept(one['bom-ref'])).map(asBundled),
      {
        'bom-ref': viewerRef,
        type: 'library',
        name: viewer.name,
        version: viewer.version,
        description: `only ${viewer.file}, compressed, as dist/viewer/scalar.js.br`,
        scope: 'required',
        purl: `pkg:npm/${viewer.name.replace('@', '%40')}@${viewer.version}`,
        hashes: [{ alg: 'SHA-512', content: hexOf(viewer.fileIntegrity) }],
        licenses: [{ license: { id: viewer.license } }],
      },
    ],
    dependencies: [
      { ref: component['bom-ref'], dependsOn: [...refs, viewerRef] },
      ...all.dependencies
        .filter(({ ref }) => kept(ref))
        .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(kept) })),
      { ref: viewerRef, dependsOn: [] },
    ],
  }
}

/** npm marks them as optional development dependencies; bundled, they are part of the package. */
function asBundled(component: Component): Component {
  const kept = Object.entries(component).filter(
    ([name]) => !['properties', 'externalReferences'].includes(name),
  )
  return { ...(Object.fromEntries(kept) as Component), scope: 'required' }
}

const hexOf = (integrity: string) => Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')

/**
 * Returns the bill of materials of the package as CycloneDX JSON.
 * @param inputs - Paths of the bundled modules
 */
export async function sbomOf(inputs: readonly string[]): Promise<string> {
  const options = { maxBuffer: 64 << 20, shell: process.platform === 'win32' }
  const command = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
  const { stdout } = await promisify(execFile)('npm', command, options)
  const bundled = new Set((await packagesOf(inputs)).map(({ name, version }) => `${name}@${version}`))
  const viewer = JSON.parse(await readFile('viewer/pinned.json', 'utf8')) as Pinned
  return `${JSON.stringify(billOf(JSON.parse(stdout) as Bill, bundled, viewer), null, 2)}\n`
}
