/**
 * Ends what tests have started. Vitest runs this for each file: files share the modules that they import, so that a hook in one of those
 * would be of the first file alone.
 */
import { afterAll, afterEach } from 'vitest'
import { closeAll } from './close-later.ts'
import { removeFolders } from './folder.ts'
import { closeEngines } from './open-engines.ts'
import { killProcesses } from './process.ts'
import { closeReceivers } from './receiver.ts'

afterEach(killProcesses)
afterEach(closeReceivers)
afterAll(removeFolders)
// Sandboxes are closed before: what was begun last ends first.
afterAll(closeEngines)
afterAll(closeAll)
