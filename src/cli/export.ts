import { Command, Option } from 'commander'
import { open, rm } from 'node:fs/promises'
import { didYouMean } from '../lib/text/suggest.ts'
import { lineOf, NoWorld, type WorldSource } from '../sandbox/transfer/items.ts'
import { failed, Refusal } from './failures.ts'
import { type End, jsonOption, userOption } from './options.ts'
import { exitCodes, type Output, outputTo, printed } from './output.ts'
import type { Process } from './process.ts'
import { locations, secrets, sourceOf, transferFailure, type WhereOptions } from './world-location.ts'

export const exportCommand = (io: Process, end: End) =>
  new Command('export')
    .description(
      `Print worlds as JSON lines: the response of GET /sandbox/export with the world's name. Exports from a database include snapshots ` +
        `and the request log. ${secrets}`,
    )
    .argument('[worlds...]', 'their names, such as demo or demo+ci')
    .option('--all', 'all worlds')
    .addOption(new Option('--from <where>', locations))
    .addOption(userOption())
    .option('--out <file>', 'write a new file, readable only by its owner')
    .addOption(jsonOption())
    .action(async (worlds: readonly string[], options: ExportOptions) =>
      end(await exportWorlds(io, worlds, options)),
    )

interface ExportOptions extends WhereOptions {
  readonly all?: boolean
  readonly out?: string
}

/** Readable only by its owner, because exports contain secrets. */
const MODE = 0o600
/** Characters per write. */
const PIECE = 1 << 18

/** Prints worlds, or writes them to a file. @returns The exit code. */
async function exportWorlds(io: Process, names: readonly string[], options: ExportOptions): Promise<number> {
  if (options.all ? names.length > 0 : names.length === 0)
    return failed(io, new Refusal('name the worlds to export, or pass --all', exitCodes.usage), false)
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

/** Errors of creating a file. */
const createErrors: Readonly<Record<string, string>> = {
  EEXIST: 'exists already. Choose another file, or delete it.',
  ENOENT: 'cannot be created: its folder does not exist. Create it, or choose another file.',
  ENOTDIR: 'cannot be created: a part of its path is a file. Choose another file.',
  EACCES: 'cannot be created: this user may not write there. Choose another file.',
  EROFS: 'cannot be created: the file system is read-only. Choose another file.',
}

/** @throws {NoWorld} For an unknown world. */
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
    const why = createErrors[error.code ?? '']
    throw why === undefined ? error : new Error(`${path} ${why}`)
  })
  try {
    const report = { json, out: outputTo(io.out, json) }
    const code = await writeAll(io, source, names, (text) => file.appendFile(text), report)
    await file.sync()
    return code
  } catch (error) {
    // A truncated file could pass for a whole one.
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** The output if the worlds are written to a file. */
interface ExportReport {
  readonly json?: boolean
  readonly out?: Output | undefined
}

async function writeAll(
  io: Process,
  source: WorldSource,
  names: readonly string[],
  write: (text: string) => Promise<void>,
  { json = false, out }: ExportReport,
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
      out?.say(`${name}: ${lines === 1 ? '1 line' : `${lines} lines`}`, {
        kind: 'exported',
        world: name,
        lines,
      })
    } catch (error) {
      if (!(error instanceof NoWorld)) throw error
      const message = `skipped: ${error.message}.`
      code = exitCodes.no
      io.err.write(`${json ? JSON.stringify({ kind: 'error', message, code }) : message}\n`)
    }
  }
  return code
}
