import { Command, Option } from 'commander'
import { open, rm } from 'node:fs/promises'
import { didYouMean } from '../lib/text/suggest.ts'
import { lineOf, NoWorld, type WorldSource } from '../sandbox/transfer/items.ts'
import { type End, jsonOption, userOption } from './options.ts'
import { exitCodes, type Output, outputTo, printed } from './output.ts'
import type { Process } from './process.ts'
import { locations, secrets, sourceOf, transferFailure, type WhereOptions } from './world-location.ts'

export const exportCommand = (io: Process, end: End) =>
  new Command('export')
    .description(
      `Print worlds, one after another, a line each: what GET /sandbox/export answers, with the world's name. Out of a database come its snapshots ` +
        `and the requests on record, too. ${secrets}`,
    )
    .argument('[worlds...]', 'their names, such as demo or demo+ci')
    .option('--all', 'all worlds there are')
    .addOption(new Option('--from <where>', locations))
    .addOption(userOption())
    .option('--out <file>', 'write a file that there is not yet, which its owner alone may read')
    .addOption(jsonOption())
    .action(async (worlds: readonly string[], options: ExportOptions) =>
      end(await exportWorlds(io, worlds, options)),
    )

interface ExportOptions extends WhereOptions {
  readonly all?: boolean
  readonly out?: string
}

/** Its owner alone may read it: there are secrets in it. */
const MODE = 0o600
/** Characters that go out in one write. */
const PIECE = 1 << 18

/** Prints worlds, or writes them to a file, a line each. Returns the exit code. */
async function exportWorlds(io: Process, names: readonly string[], options: ExportOptions): Promise<number> {
  if (options.all ? names.length > 0 : names.length === 0) {
    io.err.write('error: name the worlds to export, or say --all\n')
    return exitCodes.usage
  }
  let source: WorldSource | undefined
  try {
    source = await sourceOf(io, options)
    const chosen = options.all ? await source.worlds() : await known(source, names)
    if (options.out !== undefined) return await writeFile(io, source, chosen, options.out, options.json)
    const print = async (text: string) => io.out.write(text)
    return await printed(io, await writeAll(io, source, chosen, print, { json: options.json === true }))
  } catch (error) {
    return transferFailure(io, error, options.json)
  } finally {
    await source?.close()
  }
}

/** Why a file cannot be made, and what to do about it. */
const notMade: Readonly<Record<string, string>> = {
  EEXIST: 'is there already. Name another file, or remove it.',
  ENOENT: 'cannot be made: its folder is not there. Make it, or name another file.',
  ENOTDIR: 'cannot be made: what should be its folder is a file. Name another file.',
  EACCES: 'cannot be made: this user may not write there. Name another file.',
  EROFS: 'cannot be made: what is there can only be read. Name another file.',
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
    const why = notMade[error.code ?? '']
    throw why === undefined ? error : new Error(`${path} ${why}`)
  })
  try {
    const telling = { json, out: outputTo(io.out, json) }
    const code = await writeAll(io, source, names, (text) => file.appendFile(text), telling)
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

/** The output about each world, if the worlds themselves go to a file. */
interface Telling {
  readonly json?: boolean
  readonly out?: Output | undefined
}

async function writeAll(
  io: Process,
  source: WorldSource,
  names: readonly string[],
  write: (text: string) => Promise<void>,
  { json = false, out }: Telling,
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
      const message = `left out: ${error.message}.`
      code = exitCodes.no
      io.err.write(`${json ? JSON.stringify({ kind: 'error', message, code }) : message}\n`)
    }
  }
  return code
}
