import { open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** How files are opened; a parameter so that tests can let a disk be full. */
export type OpenFile = typeof open

/** Nobody else may read what is kept: it has secrets. */
export const MODE = 0o600

/** Makes sure that a power cut does not undo what was created, renamed or removed beside `path`. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(dirname(path), 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    // Not every system can do this with a folder; there, the file alone has to do.
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF'].includes(code)) throw error
  }
}
