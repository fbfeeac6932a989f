import { open } from 'node:fs/promises'
import type { OpenFile } from '../../../src/storage/store/file/log-file.ts'

/** A disk that is full for some files on request: only the first bytes of a write are stored. */
export function fillableDisk() {
  const disk = {
    fullFor: (_name: string): boolean => false,
    /** How often a sync was waited for. */
    syncs: 0,
    open: (async (...args: Parameters<OpenFile>) => {
      const file = await open(...args)
      const append = file.appendFile.bind(file)
      const datasync = file.datasync.bind(file)
      file.appendFile = async (data, options) => {
        if (!disk.fullFor(String(args[0]))) return append(data, options)
        await append(Buffer.from(data as string | Buffer).subarray(0, 9))
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      }
      file.datasync = () => {
        disk.syncs += 1
        return datasync()
      }
      return file
    }) as OpenFile,
  }
  return disk
}
