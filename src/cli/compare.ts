import { Command, InvalidArgumentError, Option } from 'commander'
import { writeFile } from 'node:fs/promises'
import { Refusal, failed } from './failures.ts'
import { type End, jsonOption, oneOf } from './options.ts'
import { exitCodes, outputTo, safe } from './output.ts'
import type { Process } from './process.ts'
import { RecordingError } from '../fidelity/har.ts'
import { compare, compareDescriptions, learn } from '../fidelity/library.ts'
import { fails, reports, textOf } from '../fidelity/report.ts'

type ReportFile = readonly [name: keyof typeof reports, file: string]

interface CompareFlags {
  readonly json?: boolean
  readonly failOn: 'breaking' | 'any'
  readonly description?: string
  readonly report?: readonly ReportFile[]
}

export const compareCommand = (io: Process, end: End) =>
  new Command('compare')
    .description(
      'Replay a recording (HAR of payments-sandbox record, of GET /sandbox/requests/har or of another tool) in a fresh world, and ' +
        'list where sandbox and service differ. SANDBOX_OBSERVED and the settings of worlds apply. Exit code 1: there are differences; 3: nothing was compared.',
    )
    .argument('[file]', 'the recording')
    .option('--description <file>', 'compare the descriptions instead: an OpenAPI file of the service')
    .addOption(
      oneOf('--fail-on <severity>', 'the severity that fails: breaking, or any', ['breaking', 'any']).default(
        'any',
      ),
    )
    .addOption(
      new Option(
        '--report <form=file>',
        `also write a report, such as html=report.html; repeatable: ${Object.keys(reports).join(', ')}`,
      ).argParser(readReport),
    )
    .addOption(jsonOption())
    .action(async (file: string | undefined, flags: CompareFlags) => {
      const { json = false, failOn, report = [], description } = flags
      end(
        await attempt(io, json, async () => {
          if ((file === undefined) === (description === undefined))
            throw new Refusal('pass a recording, or a description with --description', exitCodes.usage)
          const made =
            description === undefined
              ? await compare(file!, { env: io.env })
              : await compareDescriptions(description)
          io.out.write(json ? reports.json(made) : safe(textOf(made, io.out.colours)))
          for (const [name, path] of report) await save(path, reports[name](made))
          if (made.requests + made.callbacks === 0) return exitCodes.start
          return fails(made, failOn) ? exitCodes.no : exitCodes.done
        }),
      )
    })

export const learnCommand = (io: Process, end: End) =>
  new Command('learn')
    .description(
      'Write the differences of a recording as an overlay, which a sandbox applies with SANDBOX_OBSERVED or the setting observed of a ' +
        'world. Exit code 1: some differences cannot be expressed; they are listed.',
    )
    .argument('<file>', 'the recording')
    .option('--out <file>', 'the overlay', 'observed.yaml')
    .addOption(jsonOption())
    .action(async (file: string, { out: path, json = false }: { out: string; json?: boolean }) =>
      end(
        await attempt(io, json, async () => {
          const { overlay, differences, not_expressed } = await learn(file, { env: io.env })
          await save(path, overlay, 'wx')
          const out = outputTo(io.out, json)
          out.say(`${differences} differences are in ${path}`, {
            kind: 'learned',
            file: path,
            differences,
            not_expressed,
          })
          for (const each of not_expressed) out.say(`not expressed: ${each}`)
          return not_expressed.length > 0 ? exitCodes.no : exitCodes.done
        }),
      ),
    )

const save = (path: string, text: string, flag: 'w' | 'wx' = 'w') =>
  writeFile(path, text, { flag }).catch(({ code, message }: NodeJS.ErrnoException) => {
    const why =
      code === 'EEXIST'
        ? ' exists; pass another with --out, or delete it'
        : ` cannot be written: ${code === 'ENOENT' ? 'its folder does not exist' : message}`
    throw new Refusal(path + why, exitCodes.usage)
  })

/** Runs a command on a recording. @returns The exit code. */
export async function attempt(io: Process, json: boolean, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    return failed(
      io,
      error instanceof RecordingError ? new Refusal(error.message, exitCodes.usage) : error,
      json,
    )
  }
}

function readReport(text: string, before: readonly ReportFile[] = []): readonly ReportFile[] {
  const [, name = '', file = ''] = /^(\w+)=(.+)$/.exec(text) ?? []
  if (Object.hasOwn(reports, name)) return [...before, [name as ReportFile[0], file]]
  throw new InvalidArgumentError(
    `Accepted: a format and a file, such as html=report.html: ${Object.keys(reports).join(', ')}.`,
  )
}
