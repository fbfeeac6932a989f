import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { packagesOf } from './licences.ts'

/** A part of a CycloneDX bill of materials, as far as it is looked at here. */
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

/** The documentation viewer, which is one file of a package that is no dependency (viewer/pinned.json). */
export interface Pinned {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly file: string
  readonly fileIntegrity: string
}

/**
 * What is really in the package, of the bill that npm makes of everything that it is built with: the packages whose modules
 * are bundled, and the viewer. Without times and numbers of its own, so that the same source makes the same file.
 * @param bundled as `name@version`
 */
export function billOf(all: Bill, bundled: ReadonlySet<string>, viewer: Pinned): Bill {
  const missing = [...bundled].filter((each) => !all.components.some((one) => one['bom-ref'] === each))
  if (missing.length > 0) throw new Error(`npm sbom does not know ${missing.join(', ')}; run npm ci`)
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

/** npm calls them optional, needed for development alone and from where they came here; bundled, they are part of it. */
function asBundled(component: Component): Component {
  const kept = Object.entries(component).filter(
    ([name]) => !['properties', 'externalReferences'].includes(name),
  )
  return { ...(Object.fromEntries(kept) as Component), scope: 'required' }
}

const hexOf = (integrity: string) => Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')

/**
 * The bill of materials of the package as CycloneDX JSON.
 * @param inputs paths of the modules that are bundled
 */
export async function sbomOf(inputs: readonly string[]): Promise<string> {
  const options = { maxBuffer: 64 << 20, shell: process.platform === 'win32' }
  const asked = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
  const { stdout } = await promisify(execFile)('npm', asked, options)
  const bundled = new Set((await packagesOf(inputs)).map(({ name, version }) => `${name}@${version}`))
  const viewer = JSON.parse(await readFile('viewer/pinned.json', 'utf8')) as Pinned
  return `${JSON.stringify(billOf(JSON.parse(stdout) as Bill, bundled, viewer), null, 2)}\n`
}
