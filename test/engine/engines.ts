import { join } from 'node:path'
import type { Engine } from '../../src/engine/engine.ts'
import { openFileEngine } from '../../src/engine/file/engine.ts'
import { createMemoryEngine } from '../../src/engine/memory/engine.ts'
import { createCopyingEngine } from '../support/copying-engine.ts'
import { temporaryFolder } from '../support/folder.ts'

type Create = () => Promise<Engine>

/** Engines that several sandboxes of one process may share. */
export const shared: readonly [name: string, create: Create][] = [
  ['in memory', createMemoryEngine],
  ['that answers copies', createCopyingEngine],
]

/** Every engine there is. */
export const engines: readonly [name: string, create: Create][] = [
  ...shared,
  ['in a file', () => openFileEngine({ path: join(temporaryFolder(), 'rows.json') })],
]
