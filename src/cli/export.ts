import { open, rm } from 'node:fs/promises'
import { NoWorld, type WorldSource } from '../sandbox/transfer/items.ts'
import { lineOf } from '../sandbox/transfer/write-item.ts'
import { didYouMean } from '../suggest.ts'
import { exitCodes } from './exit-codes.ts'
import type { Process } from './process.ts'
import { type Teller, tellerTo } from './teller.ts'
import { transferFailure } from './transfer-failure.ts'
import { sourceOf, type WhereOptions } from './where.ts'

export interface ExportOptions extends WhereOptions {
  readonly all?: boolean
  readonly out?: string
}

/** Its owner alone may read it: there are secrets in it. */
const MODE = 0o600
/** Characters that go out in one write. */
const PIECE = 1 << 18

/** Prints worlds, or writes them to a file, a line each. Returns the exit code. */
export async function exportWorlds(
  io: Process,
  names: readonly string[],
  options: ExportOptions,
): Promise<number> {
  if (options.all ? names.length > 0 : names.length === 0) {
    io.err.write('error: name the worlds to export, or say --all\n')
    return exitCodes.usage
  }
  let source: WorldSource | undefined
  try {
    source = await sourceOf(io, options)
    const chosen = options.all ? await source.worlds() : await known(source, names)
    if (options.out === undefined)
      return await writeAll(io, source, chosen, async (text) => io.out.write(text))
    return await writeFile(io, source, chosen, options.out, options.json)
  } catch (error) {
    return transferFailure(io, error)
  } finally {
    await source?.close()
  }
}

/** @throws NoWorld before anything is written */
async function known(source: WorldSource, names: readonly string[]): Promise<readonly string[]> {
  const there = await source.worlds()
  const missing = names.find((name) => !there.includes(name))
  if (missing !== undefined)
    throw new NoWorld(`${source.name} has no world ${missing}${didYouMean(missing, there)}`)
  return names
}

async function writeFile(
  io: Process,
  source: WorldSource,
  names: readonly string[],
  path: string,
  json = false,
): Promise<number> {
  const file = await open(path, 'wx', MODE).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST'
      ? new Error(`${path} is there already. Name another file, or remove it.`)
      : error
  })
  try {
    const code = await writeAll(io, source, names, (text) => file.appendFile(text), tellerTo(io.out, json))
    await file.sync()
    return code
  } catch (error) {
    // Half a file would pass for a whole one.
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** @param out where each world is told of, where what is written is not what is printed */
async function writeAll(
  io: Process,
  source: WorldSource,
  names: readonly string[],
  write: (text: string) => Promise<void>,
  out?: Teller,
): Promise<number> {
  let code: number = exitCodes.done
  for (const name of names) {
    try {
      let lines = 0
      for await (const item of source.itemsOf(name)) {
        let text = ''
        for (const piece of lineOf(item)) {
          text += piece
          if (text.length < PIECE) continue
          await write(text)
          text = ''
        }
        await write(text)
        lines += 1
      }
      out?.say(`${name}: ${lines === 1 ? 'a line' : `${lines} lines`}`, {
        kind: 'exported',
        world: name,
        lines,
      })
    } catch (error) {
      if (!(error instanceof NoWorld)) throw error
      io.err.write(`left out: ${error.message}.\n`)
      code = exitCodes.no
    }
  }
  return code
}
