import { Command, Option } from '@commander-js/extra-typings'
import { createReadStream } from 'node:fs'
import { type End, plainCommand, userOption } from './options.ts'
import type { Output } from './output.ts'
import type { Process } from './process.ts'
import { locations, secrets, targetFor, transferFailure, WrongLine } from './world-location.ts'
import { readConfig } from '../config/config.ts'
import { type Item, readItem, type WorldTarget } from '../sandbox/transfer/items.ts'
import { settingsFor } from '../sandbox/transfer/stored.ts'
import { ServiceError } from '../service/domain/errors.ts'
import { type Line, linesIn } from '../storage/store/file/format.ts'

/**
 * Imports the worlds of a file. It reads a file twice, and writes nothing if a line is invalid or a world exists already. It
 * validates piped input line by line.
 */
export const importCommand = (io: Process, end: End) =>
  plainCommand(io, end)(
    new Command('import')
      .description(
        'Import the worlds of a file. A database or rows file gets them with their keys; a running sandbox keeps its own keys. If a world ' +
          `exists already, nothing is written. ${secrets}`,
      )
      .argument(
        '<file>',
        'the output of payments-sandbox export or GET /sandbox/export; - for standard input',
      )
      .addOption(new Option('--to <where>', locations))
      .addOption(userOption())
      .option('--world <name>', 'the name of a world without a name in the file')
      .option('--replace', 'replace existing worlds'),
    async ({ out, json }, path, { to, user, world, replace }) => {
      let target: WorldTarget | undefined
      try {
        const into = (target = targetFor(io, to, user))
        const requireRoom = async (item: Item) => {
          if (item.format !== 'payments-sandbox-world' || replace || !(await into.has(item.world))) return
          throw new WrongLine(`${into.name} already has a world ${item.world}; pass --replace to replace it`)
        }
        if (path !== '-') await eachItem(io, path, world, requireRoom)
        await eachItem(io, path, world, async (item) => {
          if (path === '-') await requireRoom(item)
          await put(out, into, item)
        })
      } catch (error) {
        return transferFailure(io, error, json)
      } finally {
        await target?.close()
      }
    },
  )

async function eachItem(
  io: Process,
  path: string,
  world: string | undefined,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const name = path === '-' ? 'the input' : path
  const defaults = settingsFor(readConfig({}))
  let [lines, whose] = [0, '']
  for await (const line of linesIn(piecesOf(io, path))) {
    if (line.text.trim() === '') continue
    lines += 1
    const item = await at(name, line, () => readItem(line.text, world, defaults))
    if (item.format === 'payments-sandbox-world') whose = item.world
    else if (item.world !== whose)
      throw new WrongLine(
        `${name} line ${line.number} belongs to the world ${item.world}, which must be in an earlier line`,
      )
    await at(name, line, () => work(item))
  }
  if (lines === 0)
    throw new WrongLine(`${name} contains no worlds. Pass a file from payments-sandbox export.`)
}

async function put(out: Output, target: WorldTarget, item: Item): Promise<void> {
  const { world } = item
  if (item.format === 'payments-sandbox-world') {
    await target.putWorld(item)
    const rows = Object.values(item.rows).reduce((sum, list) => sum + list.length, 0)
    out.say(`${world}: ${rows} rows`, { kind: 'imported', world, rows })
  } else if (item.format === 'payments-sandbox-snapshot') {
    const kept = await target.putSnapshot(item)
    const fact = { kind: 'imported', world, snapshot: item.id, kept }
    out.say(`${world}: snapshot ${item.id}${kept ? '' : ' skipped, which only a database stores'}`, fact)
  } else {
    const kept = await target.putRequests(item)
    const count = item.requests.length
    const fact = { kind: 'imported', world, requests: count, kept }
    out.say(`${world}: ${count} requests${kept ? '' : ' skipped, which only a database stores'}`, fact)
  }
}

/** @throws {WrongLine} With file and line of the error. */
async function at<T>(name: string, { number }: Line, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { message } = error as Error
    if (error instanceof ServiceError || error instanceof SyntaxError || error instanceof WrongLine)
      throw new WrongLine(`${name} line ${number}: ${message}`)
    throw error
  }
}

/** Returns the contents of a file, or of standard input for `-`, in pieces. @throws {Error} If there is no input. */
function piecesOf({ input }: Process, path: string): AsyncIterable<Buffer> {
  if (path !== '-') return createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>
  if (!input) throw new Error('There is no input. Pass a file.')
  return input()
}
