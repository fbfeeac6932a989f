import { Command, Option } from '@commander-js/extra-typings'
import { open, rm } from 'node:fs/promises'
import { didYouMean } from '../lib/text/suggest.ts'
import { lineOf, NoWorld, type WorldSource } from '../sandbox/transfer/items.ts'
import { failed, Refusal } from './failures.ts'
import { type End, plainCommand, type Task, userOption } from './options.ts'
import { exitCodes, printed } from './output.ts'
import type { Process } from './process.ts'
import { locations, secrets, sourceOf, transferFailure } from './world-location.ts'

export const exportCommand = (io: Process, end: End) =>
  plainCommand(io, end)(
    new Command('export')
      .description(
        `Print worlds as JSON lines: the response of GET /sandbox/export with the world's name. Exports from a database include snapshots ` +
          `and the request log. ${secrets}`,
      )
      .argument('[worlds...]', 'their names, such as demo or demo+ci')
      .option('--all', 'all worlds')
      .addOption(new Option('--from <where>', locations))
      .addOption(userOption())
      .option('--out <file>', 'write a new file, readable only by its owner'),
    async (task, names, { all, from, user, out: path }) => {
      if (all ? names.length > 0 : names.length === 0)
        return failed(io, new Refusal('name the worlds to export, or pass --all', exitCodes.usage), false)
      let source: WorldSource | undefined
      try {
        source = await sourceOf(io, from, user)
        const chosen = all ? await source.worlds() : await known(source, names)
        if (path !== undefined) return await writeFile(task, source, chosen, path)
        return await printed(io, await writeAll(task, source, chosen, async (text) => io.out.write(text)))
      } catch (error) {
        return transferFailure(io, error, task.json)
      } finally {
        await source?.close()
      }
    },
  )

/** Readable only by its owner, because exports contain secrets. */
const MODE = 0o600
/** Characters per write. */
const PIECE = 1 << 18

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
  task: Task,
  source: WorldSource,
  names: readonly string[],
  path: string,
): Promise<number> {
  const file = await open(path, 'wx', MODE).catch((error: NodeJS.ErrnoException) => {
    const why = createErrors[error.code ?? '']
    throw why === undefined ? error : new Error(`${path} ${why}`)
  })
  try {
    const code = await writeAll(
      task,
      source,
      names,
      (text) => file.appendFile(text),
      (name, lines) =>
        task.out.say(`${name}: ${lines === 1 ? '1 line' : `${lines} lines`}`, {
          kind: 'exported',
          world: name,
          lines,
        }),
    )
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

/** @param onWritten - Called with each world and the number of its lines. */
async function writeAll(
  { io, json }: Task,
  source: WorldSource,
  names: readonly string[],
  write: (text: string) => Promise<void>,
  onWritten?: (name: string, lines: number) => void,
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
      onWritten?.(name, lines)
    } catch (error) {
      if (!(error instanceof NoWorld)) throw error
      const message = `skipped: ${error.message}.`
      code = exitCodes.no
      io.err.write(`${json ? JSON.stringify({ kind: 'error', message, code }) : message}\n`)
    }
  }
  return code
}
