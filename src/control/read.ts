/** How the control API reads and writes what its schemas leave to it. */
export { readDuration } from '../domain/read-duration.ts'
export { exactTime } from '../domain/wire-time.ts'
