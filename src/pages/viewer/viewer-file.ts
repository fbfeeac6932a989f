import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { files } from '../../files.ts'
import type { Asset } from '../asset.ts'

/** The one file of the documentation viewer: as it was fetched beside the source, compressed in the package. */
export const viewerFile: Pick<Asset, 'make' | 'brotli'> = {
  make: async () =>
    isFetched() ? readFile(files.viewer) : promisify(brotliDecompress)(await readFile(files.viewerBrotli)),
  brotli: async () => (isFetched() ? undefined : readFile(files.viewerBrotli)),
}

/** Whether the viewer can be shown at all. */
export const hasViewer = (): boolean => isFetched() || existsSync(files.viewerBrotli)

const isFetched = () => existsSync(files.viewer)
